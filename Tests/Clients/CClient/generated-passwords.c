// A program that makes passwords and judges them.
#include <Security/SecPrivate.h>
#include <Security/Security.h>
#include <string.h>

#include "check.h"

static void set_number(CFMutableDictionaryRef dictionary, CFStringRef key, int value) {
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &value);
    CFDictionarySetValue(dictionary, key, number);
    CFRelease(number);
}

static CFMutableDictionaryRef new_requirements(void) {
    CFMutableDictionaryRef requirements = new_dictionary();
    const void *sets[] = {CFCharacterSetGetPredefined(kCFCharacterSetUppercaseLetter), CFSTR("0123456789")};
    CFArrayRef list = CFArrayCreate(NULL, sets, 2, &kCFTypeArrayCallBacks);
    set_number(requirements, kSecPasswordMinLengthKey, 8);
    set_number(requirements, kSecPasswordMaxLengthKey, 12);
    CFDictionarySetValue(requirements, kSecPasswordAllowedCharactersKey, CFSTR("ABCabc123"));
    CFDictionarySetValue(requirements, kSecPasswordRequiredCharactersKey, list);
    CFRelease(list);
    return requirements;
}

static CFIndex refusal(CFDictionaryRef requirements) {
    CFErrorRef error = NULL;
    CFStringRef password = SecPasswordGenerate(kSecPasswordTypeSafari, &error, requirements);
    CHECK(!password && error);
    CFIndex code = error ? CFErrorGetCode(error) : 0;
    if (error) CFRelease(error);
    if (password) CFRelease(password);
    return code;
}

int main(void) {
    CFErrorRef error = NULL;
    const CFIndex lengths[] = {15, 29, 14, 4, 34};
    for (SecPasswordType type = 0; type < 5; type++) {
        CFStringRef password = SecPasswordGenerate(type, &error, NULL);
        CHECK(password && !error);
        if (!password) continue;
        CHECK_EQUAL(CFStringGetLength(password), lengths[type]);
        CHECK(SecPasswordValidatePasswordFormat(type, password, NULL));
        CHECK(!SecPasswordIsPasswordWeak(password));
        CFDictionaryRef length = SecPasswordCopyDefaultPasswordLength(type, &error);
        CHECK(length && CFDictionaryContainsKey(length, kSecPasswordGroupSize));
        CHECK(length && CFDictionaryContainsKey(length, kSecPasswordNumberOfGroups));
        if (length) CFRelease(length);
        CFRelease(password);
    }
    CHECK(SecPasswordCopyDefaultPasswordLength(99, &error) == NULL && error);
    if (error) CFRelease(error);

    CFMutableDictionaryRef requirements = new_requirements();
    error = NULL;
    CFStringRef password = SecPasswordGenerate(kSecPasswordTypeSafari, &error, requirements);
    CHECK(password && !error && CFStringGetLength(password) == 12);
    if (password) CFRelease(password);
    // A set without a character that is allowed demands nothing; no allowed character is an error.
    CFDictionarySetValue(requirements, kSecPasswordDisallowedCharacters, CFSTR("ABC"));
    password = SecPasswordGenerate(kSecPasswordTypeSafari, &error, requirements);
    CHECK(password && !error && CFStringGetLength(password) == 12);
    if (password) CFRelease(password);
    CFDictionarySetValue(requirements, kSecPasswordDisallowedCharacters, CFSTR("ABCabc123"));
    CHECK_EQUAL(refusal(requirements), errSecParam);
    CFRelease(requirements);
    requirements = new_requirements();
    CFDictionarySetValue(requirements, kSecPasswordMinLengthKey, CFSTR("8"));
    CHECK_EQUAL(refusal(requirements), errSecParam);
    CFRelease(requirements);

    CHECK(SecPasswordIsPasswordWeak2(true, CFSTR("1234")) && SecPasswordIsPasswordWeak2(true, CFSTR("0987")));
    CHECK(!SecPasswordIsPasswordWeak2(true, CFSTR("8274")));
    CHECK(SecPasswordIsPasswordWeak(CFSTR("520520")) && SecPasswordIsPasswordWeak(CFSTR("147258")));
    CHECK(!SecPasswordIsPasswordWeak(CFSTR("password")) && !SecPasswordIsPasswordWeak(CFSTR("1235")));
    password = SecPasswordCreateWithRandomDigits(40, &error);
    CHECK(password && CFStringGetLength(password) == 40);
    if (password) CFRelease(password);
    CHECK(SecPasswordCreateWithRandomDigits(-1, &error) == NULL && error);
    if (error) CFRelease(error);
    return all_is_well();
}
