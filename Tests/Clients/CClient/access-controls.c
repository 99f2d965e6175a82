// A program that puts access controls together by hand, keeps items with them, and tries to get an item kept with less
// than it demands.
#include <Security/SecPrivate.h>
#include <Security/Security.h>
#include <string.h>

#include "check.h"

static CFIndex code_of(CFErrorRef *error) {
    CFIndex code = *error ? CFErrorGetCode(*error) : 0;
    if (*error) CFRelease(*error);
    *error = NULL;
    return code;
}

/// An access control with a protection class and nothing else.
static SecAccessControlRef new_control(void) {
    SecAccessControlRef control = SecAccessControlCreate(NULL, NULL);
    CHECK(control && CFGetTypeID(control) == SecAccessControlGetTypeID());
    CHECK(SecAccessControlSetProtection(control, kSecAttrAccessibleWhenUnlocked, NULL));
    return control;
}

static void constrain(SecAccessControlRef control, CFStringRef operation, CFTypeRef constraint) {
    CHECK(SecAccessControlAddConstraintForOperation(control, operation, constraint, NULL));
}

/// What is demanded for reading, and nothing for writing and deleting: as flags say it.
static SecAccessControlRef new_guarded(CFTypeRef constraint) {
    SecAccessControlRef control = new_control();
    constrain(control, kAKSKeyOpDecrypt, constraint);
    constrain(control, kAKSKeyOpEncrypt, kCFBooleanTrue);
    constrain(control, kAKSKeyOpDelete, kCFBooleanTrue);
    return control;
}

static CFTypeRef k_of_n(size_t required, CFTypeRef first, CFTypeRef second) {
    const void *both[] = {first, second};
    CFArrayRef list = CFArrayCreate(NULL, both, second ? 2 : 1, &kCFTypeArrayCallBacks);
    CFErrorRef error = NULL;
    CFTypeRef constraint = SecAccessConstraintCreateKofN(NULL, required, list, &error);
    CHECK((constraint == NULL) == (error != NULL));
    if (error) CHECK_EQUAL(code_of(&error), errSecParam);
    CFRelease(list);
    return constraint;
}

static void an_empty_one_allows_nothing(void) {
    CFErrorRef error = NULL;
    SecAccessControlRef control = SecAccessControlCreate(NULL, &error);
    CHECK(control && !error && !SecAccessControlGetProtection(control) && !SecAccessControlGetConstraints(control));
    CHECK(SecAccessControlGetConstraint(control, kAKSKeyOpDecrypt) == NULL);
    CHECK(!SecAccessControlSetProtection(control, CFSTR("nonsense"), &error));
    CHECK_EQUAL(code_of(&error), errSecParam);
    CHECK(!SecAccessControlGetProtection(control));
    CHECK(SecAccessControlSetProtection(control, kSecAttrAccessibleAfterFirstUnlock, &error) && !error);
    CHECK(CFEqual(SecAccessControlGetProtection(control), kSecAttrAccessibleAfterFirstUnlock));

    CHECK(!SecAccessControlAddConstraintForOperation(control, CFSTR(""), kCFBooleanTrue, &error));
    CHECK_EQUAL(code_of(&error), errSecParam);
    CHECK(!SecAccessControlAddConstraintForOperation(control, kAKSKeyOpDecrypt, CFSTR("nonsense"), &error));
    CHECK_EQUAL(code_of(&error), errSecParam);
    CHECK(!SecAccessControlGetConstraints(control));

    constrain(control, kAKSKeyOpDefaultAcl, kCFBooleanTrue);
    CHECK(SecAccessControlGetConstraint(control, kAKSKeyOpDecrypt) == kCFBooleanTrue);
    constrain(control, kAKSKeyOpDecrypt, kCFBooleanFalse);
    CHECK(SecAccessControlGetConstraint(control, kAKSKeyOpDecrypt) == NULL);
    CHECK_EQUAL(CFDictionaryGetCount(SecAccessControlGetConstraints(control)), 2);
    CHECK(SecAccessControlRemoveConstraintForOperation(control, kAKSKeyOpDecrypt, &error) && !error);
    CHECK(SecAccessControlGetConstraint(control, kAKSKeyOpDecrypt) == kCFBooleanTrue);
    SecAccessControlSetConstraints(control, NULL);
    CHECK(!SecAccessControlGetConstraints(control));

    // Nothing is demanded but that a key be used.
    CHECK(SecAccessControlIsBound(control) && !SecAccessControlGetRequirePassword(control));
    SecAccessControlSetRequirePassword(control, true);
    CHECK(!SecAccessControlIsBound(control) && SecAccessControlGetRequirePassword(control));
    SecAccessControlSetBound(control, true);
    CHECK(SecAccessControlIsBound(control));
    CFRelease(control);
}

static void is_described(CFTypeRef constraint, const char *expected) {
    SecAccessControlRef control = new_control();
    constrain(control, kAKSKeyOpDecrypt, constraint);
    CFStringRef text = CFCopyDescription(control);
    char bytes[512] = "";
    CHECK(text && CFStringGetCString(text, bytes, sizeof bytes, kCFStringEncodingUTF8));
    if (strcmp(bytes, expected) != 0) printf("described as %s\n", bytes);
    CHECK(strcmp(bytes, expected) == 0);
    // As data, and read again, it is the same.
    CFDataRef data = SecAccessControlCopyData(control);
    SecAccessControlRef again = data ? SecAccessControlCreateFromData(NULL, data, NULL) : NULL;
    CHECK(again && CFEqual(again, control));
    if (again) CFRelease(again);
    if (data) CFRelease(data);
    if (text) CFRelease(text);
    // What nobody knows is never taken for less than it is.
    CFMutableDictionaryRef item = new_dictionary();
    CFDictionarySetValue(item, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(item, kSecAttrService, CFSTR("unknown"));
    CFDictionarySetValue(item, kSecAttrAccessControl, control);
    CHECK_EQUAL(SecItemAdd(item, NULL), errSecUnimplemented);
    CFRelease(item);
    CFRelease(control);
}

static CFDictionaryRef dictionary_of(CFTypeRef value) {
    CFMutableDictionaryRef dictionary = new_dictionary();
    CFDictionarySetValue(dictionary, CFSTR("cunk"), value);
    return dictionary;
}

static void what_nobody_knows_is_kept_described_and_not_enforced(void) {
    int two = 2, many = 70000, less = -129;
    CFNumberRef numbers[] = {CFNumberCreate(NULL, kCFNumberIntType, &two), CFNumberCreate(NULL, kCFNumberIntType, &many),
                             CFNumberCreate(NULL, kCFNumberIntType, &less)};
    CFDictionaryRef nested = dictionary_of(numbers[0]);
    const void *both[] = {CFSTR("ag1"), nested};
    CFArrayRef array = CFArrayCreate(NULL, both, 2, &kCFTypeArrayCallBacks);
    uint8_t bytes[128];
    memset(bytes, 0xAB, sizeof bytes);
    CFDataRef little = new_data("\x01\xFE", 2), much = CFDataCreate(NULL, bytes, sizeof bytes);
    struct {
        CFTypeRef value;
        const char *text;
    } values[] = {
        {CFSTR("text"), "cunk(text)"}, {numbers[0], "cunk(2)"},           {numbers[1], "cunk(70000)"},
        {numbers[2], "cunk(-129)"},    {little, "cunk(01FE)"},            {nested, "cunk(cunk(2))"},
        {array, "cunk([ag1,cunk(2)])"}, {kCFBooleanTrue, "cunk(true)"},
    };
    char expected[256];
    for (size_t index = 0; index < sizeof values / sizeof *values; index++) {
        CFDictionaryRef constraint = dictionary_of(values[index].value);
        snprintf(expected, sizeof expected, "<SecAccessControlRef: ak;od(%s)>", values[index].text);
        is_described(constraint, expected);
        CFRelease(constraint);
    }
    char hexadecimal[129] = "";
    for (size_t index = 0; index < 64; index++) strcat(hexadecimal, "AB");
    snprintf(expected, sizeof expected, "<SecAccessControlRef: ak;od(cunk(%s...(128b)))>", hexadecimal);
    CFDictionaryRef constraint = dictionary_of(much);
    is_described(constraint, expected);
    CFRelease(constraint);
    CFDictionaryRef empty = new_dictionary();
    is_described(empty, "<SecAccessControlRef: ak;od()>");
    CFRelease(empty);
    for (size_t index = 0; index < 3; index++) CFRelease(numbers[index]);
    CFRelease(nested);
    CFRelease(array);
    CFRelease(little);
    CFRelease(much);

    // An operation that nobody knows may demand nothing, and no more.
    SecAccessControlRef control = new_control();
    CFTypeRef passcode = SecAccessConstraintCreatePasscode(NULL);
    constrain(control, kAKSKeyOpDefaultAcl, kCFBooleanTrue);
    constrain(control, CFSTR("okeymaker"), kCFBooleanTrue);
    CFMutableDictionaryRef item = new_dictionary();
    CFDictionarySetValue(item, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(item, kSecAttrService, CFSTR("unknown operation"));
    CFDictionarySetValue(item, kSecAttrAccessControl, control);
    CHECK_EQUAL(SecItemAdd(item, NULL), errSecSuccess);
    constrain(control, CFSTR("okeymaker"), passcode);
    CHECK(CFEqual(SecAccessControlGetConstraint(control, CFSTR("okeymaker")), passcode));
    CFDictionarySetValue(item, kSecAttrService, CFSTR("another"));
    CHECK_EQUAL(SecItemAdd(item, NULL), errSecUnimplemented);
    CFRelease(item);
    CFRelease(control);
    CFRelease(passcode);
}

static void what_was_set_is_returned_itself(void) {
    SecAccessControlRef control = SecAccessControlCreate(NULL, NULL);
    CFMutableStringRef protection = CFStringCreateMutableCopy(NULL, 0, kSecAttrAccessibleWhenUnlocked);
    CHECK(SecAccessControlSetProtection(control, protection, NULL));
    CHECK(SecAccessControlGetProtection(control) == protection);
    CFTypeRef constraint = SecAccessConstraintCreateWatch(NULL);
    constrain(control, kAKSKeyOpDecrypt, constraint);
    CHECK(SecAccessControlGetConstraint(control, kAKSKeyOpDecrypt) == constraint);
    CFMutableDictionaryRef all = new_dictionary();
    CFDictionarySetValue(all, kAKSKeyOpSign, kCFBooleanTrue);
    SecAccessControlSetConstraints(control, all);
    CHECK(SecAccessControlGetConstraints(control) == all);
    // A dictionary that retains nothing may hold what is gone by now: it is not looked at again.
    CFMutableStringRef word = CFStringCreateMutableCopy(NULL, 0, CFSTR("a word that is soon gone"));
    const void *keys[] = {CFSTR("cunk")}, *values[] = {word};
    CFDictionaryRef loose = CFDictionaryCreate(NULL, keys, values, 1, NULL, NULL);
    CFTypeRef watch = SecAccessConstraintCreateWatch(NULL);
    CHECK(loose && SecAccessControlAddConstraintForOperation(control, kAKSKeyOpEncrypt, loose, NULL));
    CFRelease(word);
    CHECK(SecAccessControlGetConstraint(control, kAKSKeyOpEncrypt) == loose);
    constrain(control, kAKSKeyOpDelete, watch);
    CHECK(SecAccessControlGetConstraint(control, kAKSKeyOpDelete) == watch);
    CHECK(SecAccessControlGetConstraints(control) != all);
    CHECK(SecAccessControlRemoveConstraintForOperation(control, kAKSKeyOpEncrypt, NULL));
    CHECK(SecAccessControlGetConstraint(control, kAKSKeyOpEncrypt) == NULL);
    CFRelease(loose);
    CFRelease(watch);
    // What does not fit into its data is refused.
    UInt8 *many = calloc(1, 70000);
    CFDataRef much = many ? CFDataCreate(NULL, many, 70000) : NULL;
    CFDictionaryRef large = dictionary_of(much);
    CFErrorRef error = NULL;
    CHECK(!SecAccessControlAddConstraintForOperation(control, kAKSKeyOpEncrypt, large, &error));
    CHECK_EQUAL(code_of(&error), errSecParam);
    CFRelease(large);
    CFRelease(much);
    free(many);
    // They stay as long as it does.
    CFRelease(protection);
    CFRelease(constraint);
    CFRelease(all);
    CHECK(CFEqual(SecAccessControlGetProtection(control), kSecAttrAccessibleWhenUnlocked));
    CFRelease(control);
}

static void constraints_are_made(void) {
    CFErrorRef error = NULL;
    CFTypeRef passcode = SecAccessConstraintCreatePasscode(NULL), watch = SecAccessConstraintCreateWatch(NULL);
    CFDataRef uuid = new_data("0123456789abcdef", 16);
    CFTypeRef finger = SecAccessConstraintCreateBiometryAny(NULL, uuid);
    CFTypeRef same = SecAccessConstraintCreateTouchIDAny(NULL, uuid);
    CFTypeRef current = SecAccessConstraintCreateBiometryCurrentSet(NULL, uuid, uuid);
    CHECK(passcode && watch && finger && same && current && CFEqual(finger, same) && !CFEqual(finger, current));
    CHECK(SecAccessConstraintCreatePolicy(NULL, kCFBooleanTrue, &error) == NULL);
    CHECK_EQUAL(code_of(&error), errSecParam);
    CHECK(SecAccessConstraintCreatePolicy(NULL, CFSTR(""), &error) == NULL);
    CHECK_EQUAL(code_of(&error), errSecParam);

    CHECK(!k_of_n(0, passcode, finger));
    CHECK(!k_of_n(3, passcode, finger));
    CHECK(!k_of_n((size_t)-1, passcode, finger));
    CHECK(!k_of_n(1, passcode, passcode));
    CHECK(!k_of_n(1, finger, current));
    CHECK(!k_of_n(1, passcode, kCFBooleanTrue));
    CHECK(!k_of_n(1, passcode, CFSTR("cup")));
    CFTypeRef choice = k_of_n(1, passcode, finger);
    CHECK(choice && CFGetTypeID(choice) == CFDictionaryGetTypeID());
    CHECK(!k_of_n(1, choice, watch));
    SecAccessControlRef control = new_guarded(choice);
    CFTypeRef kept = SecAccessControlGetConstraint(control, kAKSKeyOpDecrypt);
    CHECK(kept && CFEqual(kept, choice));
    CFRelease(control);
    const void *objects[] = {passcode, watch, finger, same, current, choice, uuid};
    for (size_t index = 0; index < 7; index++) CFRelease(objects[index]);
}

static void equal_to(SecAccessControlCreateFlags flags, CFTypeRef constraint) {
    SecAccessControlRef built = new_guarded(constraint);
    SecAccessControlRef made = SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleWhenUnlocked, flags, NULL);
    CHECK(made && CFEqual(built, made) && CFEqual(made, built) && CFHash(built) == CFHash(made));
    CFDataRef data = SecAccessControlCopyData(built);
    CHECK(data && CFDataGetBytePtr(data)[0] == 0x31);
    if (data) CFRelease(data);
    SecAccessControlSetRequirePassword(built, true);
    CHECK(!CFEqual(built, made));
    CFRelease(built);
    if (made) CFRelease(made);
    CFRelease(constraint);
}

static void those_that_demand_the_same_are_equal(void) {
    equal_to(kSecAccessControlUserPresence,
             SecAccessConstraintCreatePolicy(NULL, CFSTR("DeviceOwnerAuthentication"), NULL));
    equal_to(kSecAccessControlBiometryAny, SecAccessConstraintCreateBiometryAny(NULL, NULL));
    equal_to(kSecAccessControlBiometryCurrentSet, SecAccessConstraintCreateBiometryCurrentSet(NULL, NULL, NULL));
    equal_to(kSecAccessControlDevicePasscode, SecAccessConstraintCreatePasscode(NULL));
    equal_to(kSecAccessControlWatch, SecAccessConstraintCreateWatch(NULL));
    CFTypeRef passcode = SecAccessConstraintCreatePasscode(NULL);
    CFTypeRef finger = SecAccessConstraintCreateBiometryAny(NULL, NULL);
    equal_to(kSecAccessControlBiometryAny | kSecAccessControlOr | kSecAccessControlDevicePasscode,
             k_of_n(1, passcode, finger));
    equal_to(kSecAccessControlBiometryAny | kSecAccessControlAnd | kSecAccessControlDevicePasscode,
             k_of_n(2, finger, passcode));
    equal_to(kSecAccessControlDevicePasscode, k_of_n(1, passcode, NULL));
    CFRelease(passcode);
    CFRelease(finger);
}

/// Adds an item and reads it without asking anybody. Returns what the adding said, or else the reading.
static OSStatus add(SecAccessControlRef control, const char *name) {
    CFMutableDictionaryRef item = new_dictionary();
    CFDataRef data = new_data("secret", 6);
    CFStringRef account = CFStringCreateWithCString(NULL, name, kCFStringEncodingUTF8);
    CFDictionarySetValue(item, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(item, kSecAttrAccount, account);
    CFDictionarySetValue(item, kSecValueData, data);
    CFDictionarySetValue(item, kSecAttrAccessControl, control);
    OSStatus status = SecItemAdd(item, NULL);
    CFDictionaryRemoveValue(item, kSecAttrAccessControl);
    CFDictionaryRemoveValue(item, kSecValueData);
    CFDictionarySetValue(item, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(item, kSecUseAuthenticationUI, kSecUseAuthenticationUIFail);
    CFTypeRef found = NULL;
    OSStatus reading = SecItemCopyMatching(item, &found);
    // Nothing may be kept of what was refused.
    if (status != errSecSuccess) CHECK_EQUAL(reading, errSecItemNotFound);
    CHECK(reading == errSecSuccess || !found);
    if (found) CFRelease(found);
    CFRelease(item);
    CFRelease(data);
    CFRelease(account);
    return status == errSecSuccess ? reading : status;
}

static OSStatus add_guarded(CFTypeRef constraint, const char *name) {
    SecAccessControlRef control = new_guarded(constraint);
    OSStatus status = add(control, name);
    CFRelease(control);
    CFRelease(constraint);
    return status;
}

static void what_is_demanded_is_enforced(void) {
    CFTypeRef passcode = SecAccessConstraintCreatePasscode(NULL), watch = SecAccessConstraintCreateWatch(NULL);
    CFTypeRef finger = SecAccessConstraintCreateBiometryAny(NULL, NULL);
    SecAccessControlRef control = new_control();
    constrain(control, kAKSKeyOpDefaultAcl, kCFBooleanTrue);
    CHECK_EQUAL(add(control, "free"), errSecSuccess);
    constrain(control, kAKSKeyOpDecrypt, passcode);
    CHECK_EQUAL(add(control, "guarded"), errSecInteractionNotAllowed);
    CFRelease(control);
    CHECK_EQUAL(add_guarded(SecAccessConstraintCreatePasscode(NULL), "passcode"), errSecInteractionNotAllowed);
    CHECK_EQUAL(add_guarded(k_of_n(1, passcode, watch), "either"), errSecInteractionNotAllowed);

    // The attack: what the keychain does not know is refused, and never kept with less.
    CHECK_EQUAL(add_guarded(SecAccessConstraintCreatePolicy(NULL, CFSTR("Unknown"), NULL), "policy"),
                errSecUnimplemented);
    CFDataRef uuid = new_data("0123456789abcdef", 16);
    CHECK_EQUAL(add_guarded(SecAccessConstraintCreateBiometryAny(NULL, uuid), "other fingers"), errSecUnimplemented);
    CHECK_EQUAL(add_guarded(SecAccessConstraintCreateBiometryCurrentSet(NULL, NULL, uuid), "other time"),
                errSecUnimplemented);
    const void *three[] = {passcode, finger, watch};
    CFArrayRef list = CFArrayCreate(NULL, three, 3, &kCFTypeArrayCallBacks);
    CHECK_EQUAL(add_guarded(SecAccessConstraintCreateKofN(NULL, 2, list, NULL), "two of three"), errSecUnimplemented);
    CFRelease(list);

    control = new_control();
    CHECK_EQUAL(add(control, "nothing allowed"), errSecUnimplemented);
    constrain(control, kAKSKeyOpDecrypt, passcode);
    CHECK_EQUAL(add(control, "no deleting"), errSecUnimplemented);
    constrain(control, kAKSKeyOpDefaultAcl, passcode);
    CHECK_EQUAL(add(control, "a passcode for all"), errSecUnimplemented);
    constrain(control, kAKSKeyOpDefaultAcl, kCFBooleanTrue);
    constrain(control, kAKSKeyOpDelete, kCFBooleanFalse);
    CHECK_EQUAL(add(control, "never deleted"), errSecUnimplemented);
    constrain(control, kAKSKeyOpDelete, kCFBooleanTrue);
    constrain(control, kAKSKeyOpSign, passcode);
    CHECK_EQUAL(add(control, "signing"), errSecUnimplemented);
    CFMutableDictionaryRef bad = new_dictionary();
    CFDictionarySetValue(bad, kAKSKeyOpDefaultAcl, kCFBooleanTrue);
    CFDictionarySetValue(bad, kAKSKeyOpDecrypt, CFSTR("nonsense"));
    SecAccessControlSetConstraints(control, bad);
    CHECK(!SecAccessControlGetConstraints(control));
    CHECK_EQUAL(add(control, "nonsense"), errSecUnimplemented);
    CFRelease(bad);
    CFRelease(control);
    control = SecAccessControlCreate(NULL, NULL);
    constrain(control, kAKSKeyOpDefaultAcl, kCFBooleanTrue);
    CHECK_EQUAL(add(control, "no class"), errSecParam);
    CFRelease(control);
    CFRelease(uuid);
    CFRelease(passcode);
    CFRelease(finger);
    CFRelease(watch);
}

static void data_bring_it_back(void) {
    CFTypeRef passcode = SecAccessConstraintCreatePasscode(NULL);
    CFTypeRef finger = SecAccessConstraintCreateBiometryAny(NULL, NULL);
    CFTypeRef choice = k_of_n(1, passcode, finger);
    SecAccessControlRef control = new_guarded(choice);
    SecAccessControlSetBound(control, true);
    SecAccessControlSetRequirePassword(control, true);
    CFErrorRef error = NULL;
    CFDataRef data = SecAccessControlCopyData(control), again = SecAccessControlCopyData(control);
    CHECK(data && again && CFEqual(data, again));
    SecAccessControlRef back = SecAccessControlCreateFromData(NULL, data, &error);
    CHECK(back && !error && CFEqual(back, control));
    if (back) CFRelease(back);

    // With a bit turned they are refused or another access control; cut, they are refused.
    CFIndex length = CFDataGetLength(data);
    UInt8 bytes[1000];
    memcpy(bytes, CFDataGetBytePtr(data), (size_t)length);
    int equal = 0, refused = 0;
    for (CFIndex index = 0; index < length; index++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[index] ^= (UInt8)(1 << bit);
            CFDataRef changed = CFDataCreate(NULL, bytes, length);
            SecAccessControlRef other = SecAccessControlCreateFromData(NULL, changed, &error);
            CHECK((other == NULL) == (error != NULL));
            if (other) equal += CFEqual(other, control);
            refused += other == NULL;
            code_of(&error);
            if (other) CFRelease(other);
            CFRelease(changed);
            bytes[index] ^= (UInt8)(1 << bit);
        }
        CFDataRef cut = CFDataCreate(NULL, bytes, index);
        CHECK(SecAccessControlCreateFromData(NULL, cut, &error) == NULL);
        CHECK_EQUAL(code_of(&error), errSecDecode);
        CFRelease(cut);
    }
    CHECK_EQUAL(equal, 0);
    // Some names and values become others that nobody knows, which are kept as they are.
    CHECK(refused > (int)length * 4);
    size_t deep = 1000000;
    UInt8 *nested = malloc(deep);
    if (!nested) exit(2);
    memset(nested, 0x31, deep);
    for (CFIndex size = 1000; size <= (CFIndex)deep; size *= 1000) {
        CFDataRef hostile = CFDataCreate(NULL, nested, size);
        CHECK(SecAccessControlCreateFromData(NULL, hostile, &error) == NULL);
        CHECK_EQUAL(code_of(&error), errSecDecode);
        CFRelease(hostile);
    }
    free(nested);
    CFRelease(data);
    CFRelease(again);
    CFRelease(control);
    CFRelease(choice);
    CFRelease(passcode);
    CFRelease(finger);
}

int main(void) {
    an_empty_one_allows_nothing();
    what_nobody_knows_is_kept_described_and_not_enforced();
    what_was_set_is_returned_itself();
    constraints_are_made();
    those_that_demand_the_same_are_equal();
    what_is_demanded_is_enforced();
    data_bring_it_back();
    return all_is_well();
}
