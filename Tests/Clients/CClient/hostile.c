// A program that hands over what it should not: nothing here may end it.
#include <Security/Security.h>
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

/// NULL where the headers say that there is none; a variable, so that the compiler does not see it.
static void *nothing = NULL;

static CFMutableDictionaryRef password_query(void) {
    CFMutableDictionaryRef query = new_dictionary();
    CFDictionarySetValue(query, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(query, kSecAttrAccount, CFSTR("hostile"));
    return query;
}

/// What the four functions say of a dictionary.
static void all_say(CFDictionaryRef dictionary, OSStatus expected, const char *what) {
    CFMutableDictionaryRef good = password_query();
    CFTypeRef result = NULL;
    OSStatus said[] = {SecItemAdd(dictionary, &result), SecItemCopyMatching(dictionary, &result),
                       SecItemUpdate(dictionary, good), SecItemDelete(dictionary)};
    for (size_t index = 0; index < 4; index++) {
        if (said[index] == expected) continue;
        failures++;
        printf("NOT OK: %s: function %zu says %d, not %d\n", what, index, (int)said[index], (int)expected);
    }
    CHECK(result == NULL);
    CFRelease(good);
}

static void what_is_no_dictionary_is_refused(void) {
    CFDataRef data = new_data("x", 1);
    SecAccessControlRef control = SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleAlways, 0, NULL);
    const void *elements[] = {kSecClass};
    CFArrayRef array = CFArrayCreate(NULL, elements, 1, &kCFTypeArrayCallBacks);
    CFTypeRef objects[] = {NULL, CFSTR("class"), data, array, kCFBooleanTrue, kCFNull, control};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        CFMutableDictionaryRef query = password_query();
        all_say((CFDictionaryRef)objects[index], errSecParam, "no dictionary");
        CHECK_EQUAL(SecItemUpdate(query, (CFDictionaryRef)objects[index]), errSecParam);
        CFRelease(query);
    }
    CFRelease(array);
    CFRelease(control);
    CFRelease(data);
}

static void dictionaries_without_callbacks_are_read_by_content(void) {
    // Keys that are equal to the constants, but other objects: a dictionary without callbacks does not find them.
    CFMutableStringRef key = CFStringCreateMutable(NULL, 0);
    CFStringAppend(key, CFSTR("class"));
    CFMutableStringRef account = CFStringCreateMutable(NULL, 0);
    CFStringAppend(account, CFSTR("acct"));
    const void *keys[] = {key, account, kSecReturnData, kSecValueData};
    CFDataRef data = new_data("secret", 6);
    const void *values[] = {kSecClassGenericPassword, CFSTR("bare"), kCFBooleanTrue, data};
    CFDictionaryRef bare = CFDictionaryCreate(NULL, keys, values, 4, NULL, NULL);
    CHECK(CFDictionaryGetValue(bare, kSecClass) == NULL);
    CFTypeRef result = NULL;
    CHECK_EQUAL(SecItemAdd(bare, &result), errSecSuccess);
    CHECK(result && CFEqual(result, data));
    if (result) CFRelease(result);
    result = NULL;
    CHECK_EQUAL(SecItemCopyMatching(bare, &result), errSecSuccess);
    CHECK(result && CFEqual(result, data));
    if (result) CFRelease(result);
    CHECK_EQUAL(SecItemDelete(bare), errSecSuccess);
    CFRelease(bare);

    // The same key twice says two things.
    const void *twice[] = {kSecClass, key, kSecAttrAccount};
    const void *classes[] = {kSecClassGenericPassword, kSecClassInternetPassword, CFSTR("x")};
    bare = CFDictionaryCreate(NULL, twice, classes, 3, NULL, NULL);
    CHECK_EQUAL(CFDictionaryGetCount(bare), 3);
    all_say(bare, errSecParam, "a key twice");
    CFRelease(bare);
    CFRelease(data);
    CFRelease(account);
    CFRelease(key);
}

static void null_in_a_dictionary_is_refused(void) {
    const void *keys[] = {kSecClass, kSecAttrAccount};
    const void *values[] = {kSecClassGenericPassword, NULL};
    CFDictionaryRef dictionary = CFDictionaryCreate(NULL, keys, values, 2, NULL, NULL);
    all_say(dictionary, errSecParam, "NULL as a value");
    CFRelease(dictionary);

    const void *null_key[] = {kSecClass, NULL};
    const void *some[] = {kSecClassGenericPassword, CFSTR("x")};
    dictionary = CFDictionaryCreate(NULL, null_key, some, 2, NULL, NULL);
    all_say(dictionary, errSecParam, "NULL as a key");
    CFRelease(dictionary);
    all_say(NULL, errSecParam, "NULL");
    CHECK_EQUAL(SecItemUpdate(nothing, nothing), errSecParam);
    CHECK_EQUAL(SecItemDelete(nothing), errSecParam);
}

static void keys_are_strings(void) {
    int number = 7;
    CFNumberRef seven = CFNumberCreate(NULL, kCFNumberIntType, &number);
    CFDataRef data = new_data("acct", 4);
    struct { CFTypeRef key; OSStatus status; } table[] = {
        {seven, errSecNoSuchAttr}, {data, errSecParam}, {kCFNull, errSecParam}, {CFSTR("x"), errSecParam},
        {CFSTR("nope"), errSecNoSuchAttr}, {CFSTR(""), errSecParam},
    };
    for (size_t index = 0; index < sizeof table / sizeof *table; index++) {
        CFMutableDictionaryRef query = password_query();
        CFDictionarySetValue(query, table[index].key, CFSTR("x"));
        all_say(query, table[index].status, "a wrong key");
        CFRelease(query);
    }
    CFRelease(data);
    CFRelease(seven);
}

static void foreign_objects_as_values_are_refused(void) {
    CFURLRef url = CFURLCreateWithString(NULL, CFSTR("https://example.com"), NULL);
    CFSetRef set = CFSetCreate(NULL, NULL, 0, &kCFTypeSetCallBacks);
    CFErrorRef error = CFErrorCreate(NULL, CFSTR("domain"), 1, NULL);
    SecAccessControlRef control = SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleAlways, 0, NULL);
    CFTypeRef values[] = {url, set, error, control, CFRunLoopGetCurrent(), kCFAllocatorDefault, CFLocaleGetSystem()};
    for (size_t index = 0; index < sizeof values / sizeof *values; index++) {
        if (values[index] == NULL) continue;
        CFMutableDictionaryRef query = password_query();
        CFDictionarySetValue(query, kSecAttrService, values[index]);
        all_say(query, errSecParam, "a foreign value");
        CFDictionaryRemoveValue(query, kSecAttrService);
        CFDictionarySetValue(query, kSecValueRef, values[index]);
        CHECK(SecItemAdd(query, NULL) != errSecSuccess);
        CFDictionarySetValue(query, kSecClass, values[index]);
        CHECK(SecItemAdd(query, NULL) != errSecSuccess);
        CFRelease(query);
    }
    CFRelease(control);
    CFRelease(error);
    CFRelease(set);
    CFRelease(url);
}

static void strings_that_are_none_are_refused(void) {
    const UniChar half[] = {'a', 0xd800, 'b'};
    const UniChar wrong_way[] = {0xdc00, 0xd800};
    const UniChar whole[] = {0xd83d, 0xdd11, 0, 'x'};
    CFStringRef bad[] = {CFStringCreateWithCharacters(NULL, half, 3), CFStringCreateWithCharacters(NULL, wrong_way, 2),
                         CFStringCreateWithCharacters(NULL, half, 2)};
    for (size_t index = 0; index < sizeof bad / sizeof *bad; index++) {
        CFMutableDictionaryRef query = password_query();
        CFDictionarySetValue(query, kSecAttrService, bad[index]);
        all_say(query, errSecParam, "half a surrogate pair as a value");
        CFDictionaryRemoveValue(query, kSecAttrService);
        CFDictionarySetValue(query, bad[index], CFSTR("x"));
        all_say(query, errSecParam, "half a surrogate pair as a key");
        CFRelease(query);
        CHECK(SecAccessControlCreateWithFlags(NULL, bad[index], 0, NULL) == NULL);
        CFRelease(bad[index]);
    }
    // A whole pair and a zero are characters like others.
    CFStringRef good = CFStringCreateWithCharacters(NULL, whole, 4);
    CFMutableDictionaryRef query = password_query();
    CFDictionarySetValue(query, kSecAttrService, good);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionaryRef item = NULL;
    CHECK_EQUAL(SecItemAdd(query, (CFTypeRef *)&item), errSecSuccess);
    CHECK(item && CFEqual(CFDictionaryGetValue(item, kSecAttrService), good));
    if (item) CFRelease(item);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
    CFRelease(good);
}

/// An array in an array, and so on.
static CFArrayRef nested_arrays(int depth) {
    CFTypeRef inner = CFRetain(kCFBooleanTrue);
    for (int level = 0; level < depth; level++) {
        CFArrayRef outer = CFArrayCreate(NULL, &inner, 1, &kCFTypeArrayCallBacks);
        CFRelease(inner);
        inner = outer;
    }
    return (CFArrayRef)inner;
}

static void deep_nesting_is_refused(void) {
    int depths[] = {31, 32, 33, 100000};
    for (size_t index = 0; index < sizeof depths / sizeof *depths; index++) {
        CFArrayRef deep = nested_arrays(depths[index]);
        CFMutableDictionaryRef query = password_query();
        CFDictionarySetValue(query, kSecAttrService, deep);
        all_say(query, errSecParam, "nested arrays");
        // An unknown kSecMatch key is passed over, whatever its value; nesting is judged before.
        CFDictionaryRemoveValue(query, kSecAttrService);
        CFDictionarySetValue(query, CFSTR("m_Unknown"), deep);
        CHECK_EQUAL(SecItemCopyMatching(query, NULL), depths[index] < 32 ? errSecItemNotFound : errSecParam);
        CFRelease(query);
        // Core Foundation itself releases what is nested by calling itself, so the deepest one is left.
        if (depths[index] < 1000) CFRelease(deep);
    }

    // Dictionaries without callbacks may be made so that they have themselves in them.
    CFMutableDictionaryRef ring = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    CFDictionarySetValue(ring, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(ring, kSecAttrService, ring);
    all_say(ring, errSecParam, "a dictionary in itself");
    CFRelease(ring);

    // Each has the one before it twice: few objects, but two to the thirtieth places.
    CFArrayRef wide = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    for (int level = 0; level < 30; level++) {
        const void *pair[] = {wide, wide};
        CFArrayRef outer = CFArrayCreate(NULL, pair, 2, &kCFTypeArrayCallBacks);
        CFRelease(wide);
        wide = outer;
    }
    CFMutableDictionaryRef query = password_query();
    CFDictionarySetValue(query, kSecAttrService, wide);
    all_say(query, errSecParam, "an array of a thousand million places");
    CFRelease(query);
    CFRelease(wide);
}

static void results_may_be_left_out(void) {
    CFMutableDictionaryRef query = password_query();
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CHECK_EQUAL(SecItemAdd(query, NULL), errSecSuccess);
    CHECK_EQUAL(SecItemCopyMatching(query, NULL), errSecSuccess);
    // Nothing is asked for, or nothing found: what is there stays.
    CFTypeRef earlier = CFSTR("earlier"), result = earlier;
    CFDictionaryRemoveValue(query, kSecReturnAttributes);
    CHECK_EQUAL(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result == earlier);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CHECK_EQUAL(SecItemCopyMatching(query, &result), errSecItemNotFound);
    CHECK(result == earlier);
    // An item without data has nothing of what is asked for.
    CFDictionaryRemoveValue(query, kSecReturnAttributes);
    CHECK_EQUAL(SecItemAdd(query, NULL), errSecSuccess);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CHECK_EQUAL(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result == NULL);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
}

static void numbers_and_truth_values_differ(void) {
    int one = 1;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &one);
    double half = 0.5;
    CFNumberRef fraction = CFNumberCreate(NULL, kCFNumberDoubleType, &half);
    CFMutableDictionaryRef query = password_query();
    CFDictionarySetValue(query, kSecReturnData, number);
    CHECK_EQUAL(SecItemCopyMatching(query, NULL), errSecParam);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CHECK_EQUAL(SecItemCopyMatching(query, NULL), errSecItemNotFound);
    CFDictionarySetValue(query, kSecMatchLimit, fraction);
    CHECK(SecItemCopyMatching(query, NULL) != errSecSuccess);
    CFDictionarySetValue(query, kSecMatchLimit, number);
    CHECK_EQUAL(SecItemCopyMatching(query, NULL), errSecItemNotFound);
    CFRelease(query);
    CFRelease(fraction);
    CFRelease(number);
}

static void access_controls_refuse_what_is_none(void) {
    int number = 3;
    CFNumberRef three = CFNumberCreate(NULL, kCFNumberIntType, &number);
    CFTypeRef protections[] = {NULL, CFSTR("nonsense"), CFSTR(""), three, kCFNull, kCFBooleanTrue};
    for (size_t index = 0; index < sizeof protections / sizeof *protections; index++) {
        CFErrorRef error = NULL;
        CHECK(SecAccessControlCreateWithFlags(NULL, protections[index], 0, &error) == NULL);
        CHECK(error != NULL);
        if (error) {
            CHECK_EQUAL(CFErrorGetCode(error), errSecParam);
            CHECK(CFEqual(CFErrorGetDomain(error), CFSTR("NSOSStatusErrorDomain")));
            CHECK_EQUAL(swift_retainCount(error), 1);
            CFStringRef text = CFErrorCopyDescription(error);
            CHECK(text && CFStringGetLength(text) > 0);
            if (text) CFRelease(text);
            CFRelease(error);
        }
        CHECK(SecAccessControlCreateWithFlags(NULL, protections[index], 0, NULL) == NULL);
    }
    CHECK(SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleWhenUnlocked,
                                          kSecAccessControlOr | kSecAccessControlAnd, NULL) == NULL);
    CFRelease(three);
}

static void random_bytes_need_a_place(void) {
    UInt8 byte = 0;
    CHECK_EQUAL(SecRandomCopyBytes(kSecRandomDefault, 8, nothing), errSecParam);
    CHECK_EQUAL(SecRandomCopyBytes(kSecRandomDefault, 0, nothing), errSecSuccess);
    CHECK_EQUAL(SecRandomCopyBytes(kSecRandomDefault, 0, &byte), errSecSuccess);
    CHECK_EQUAL(byte, 0);
    CHECK_EQUAL(SecRandomCopyBytes(kSecRandomDefault, (size_t)-1, &byte), errSecParam);
}

static void *use_the_keychain(void *argument) {
    long number = (long)argument;
    for (int round = 0; round < 50; round++) {
        CFStringRef account = CFStringCreateWithFormat(NULL, NULL, CFSTR("%ld-%d"), number, round);
        CFMutableDictionaryRef query = password_query();
        CFDictionarySetValue(query, kSecAttrAccount, account);
        CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
        CFDictionaryRef item = NULL;
        if (SecItemAdd(query, (CFTypeRef *)&item) != errSecSuccess || !item) return (void *)1;
        CFRelease(item);
        if (SecItemCopyMatching(query, (CFTypeRef *)&item) != errSecSuccess) return (void *)2;
        Boolean same = CFEqual(CFDictionaryGetValue(item, kSecAttrAccount), account);
        CFRelease(item);
        if (!same || SecItemDelete(query) != errSecSuccess) return (void *)3;
        CFRelease(query);
        CFRelease(account);
    }
    return NULL;
}

static void threads_call_at_the_same_time(void) {
    pthread_t threads[8];
    for (long index = 0; index < 8; index++) pthread_create(&threads[index], NULL, use_the_keychain, (void *)index);
    for (long index = 0; index < 8; index++) {
        void *outcome = NULL;
        pthread_join(threads[index], &outcome);
        CHECK_EQUAL((long)outcome, 0);
    }
}

int main(void) {
    what_is_no_dictionary_is_refused();
    dictionaries_without_callbacks_are_read_by_content();
    null_in_a_dictionary_is_refused();
    keys_are_strings();
    foreign_objects_as_values_are_refused();
    strings_that_are_none_are_refused();
    deep_nesting_is_refused();
    results_may_be_left_out();
    numbers_and_truth_values_differ();
    access_controls_refuse_what_is_none();
    random_bytes_need_a_place();
    threads_call_at_the_same_time();
    return all_is_well();
}
