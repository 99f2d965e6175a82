// A program that keeps passwords, in the style of Apple's documentation of Keychain Services.
#include <Security/Security.h>
#include <string.h>

#include "check.h"

static CFMutableDictionaryRef new_query(CFStringRef account) {
    CFMutableDictionaryRef query = new_dictionary();
    CFDictionarySetValue(query, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(query, kSecAttrService, CFSTR("com.example.mail"));
    if (account) CFDictionarySetValue(query, kSecAttrAccount, account);
    return query;
}

static OSStatus store(CFStringRef account, const char *password) {
    CFMutableDictionaryRef attributes = new_query(account);
    CFDataRef data = new_data(password, strlen(password));
    CFDictionarySetValue(attributes, kSecValueData, data);
    CFDictionarySetValue(attributes, kSecAttrAccessible, kSecAttrAccessibleWhenUnlocked);
    OSStatus status = SecItemAdd(attributes, NULL);
    CFRelease(data);
    CFRelease(attributes);
    return status;
}

static CFDataRef copy_password(CFStringRef account) {
    CFMutableDictionaryRef query = new_query(account);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitOne);
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(query, &result);
    CFRelease(query);
    return status == errSecSuccess ? (CFDataRef)result : NULL;
}

static void passwords_are_stored_found_changed_and_deleted(void) {
    CHECK_EQUAL(store(CFSTR("ada"), "first"), errSecSuccess);
    CHECK_EQUAL(store(CFSTR("ada"), "second"), errSecDuplicateItem);

    CFDataRef password = copy_password(CFSTR("ada"));
    CHECK(password != NULL);
    CHECK_EQUAL(CFGetTypeID(password), CFDataGetTypeID());
    CHECK_EQUAL(CFDataGetLength(password), 5);
    CHECK(memcmp(CFDataGetBytePtr(password), "first", 5) == 0);
    CHECK_EQUAL(swift_retainCount(password), 1);
    CFRelease(password);

    CFMutableDictionaryRef query = new_query(CFSTR("ada")), changes = new_dictionary();
    CFDataRef second = new_data("second", 6);
    CFDictionarySetValue(changes, kSecValueData, second);
    CHECK_EQUAL(SecItemUpdate(query, changes), errSecSuccess);
    password = copy_password(CFSTR("ada"));
    CHECK(password && CFEqual(password, second));
    if (password) CFRelease(password);

    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CHECK_EQUAL(SecItemDelete(query), errSecItemNotFound);
    CHECK_EQUAL(SecItemUpdate(query, changes), errSecItemNotFound);
    CHECK(copy_password(CFSTR("ada")) == NULL);
    CFRelease(second);
    CFRelease(changes);
    CFRelease(query);
}

static void attributes_come_as_a_dictionary(void) {
    CHECK_EQUAL(store(CFSTR("grace"), "secret"), errSecSuccess);
    CFMutableDictionaryRef query = new_query(CFSTR("grace"));
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnPersistentRef, kCFBooleanTrue);
    CFDictionaryRef item = NULL;
    CHECK_EQUAL(SecItemCopyMatching(query, (CFTypeRef *)&item), errSecSuccess);
    CHECK(item != NULL);
    if (item) {
        CHECK_EQUAL(CFGetTypeID(item), CFDictionaryGetTypeID());
        CHECK_EQUAL(swift_retainCount(item), 1);
        CHECK(CFEqual(CFDictionaryGetValue(item, kSecAttrAccount), CFSTR("grace")));
        CHECK(CFEqual(CFDictionaryGetValue(item, kSecAttrService), CFSTR("com.example.mail")));
        CHECK(CFEqual(CFDictionaryGetValue(item, kSecAttrAccessible), kSecAttrAccessibleWhenUnlocked));
        CHECK_EQUAL(CFGetTypeID(CFDictionaryGetValue(item, kSecAttrCreationDate)), CFDateGetTypeID());
        CHECK_EQUAL(CFGetTypeID(CFDictionaryGetValue(item, kSecAttrSynchronizable)), CFNumberGetTypeID());
        CHECK_EQUAL(CFGetTypeID(CFDictionaryGetValue(item, kSecAttrAccessControl)), SecAccessControlGetTypeID());
        CHECK_EQUAL(CFGetTypeID(CFDictionaryGetValue(item, kSecValueData)), CFDataGetTypeID());

        // The reference alone finds the item again.
        CFMutableDictionaryRef again = new_dictionary();
        CFDictionarySetValue(again, kSecValuePersistentRef, CFDictionaryGetValue(item, kSecValuePersistentRef));
        CFDictionarySetValue(again, kSecReturnData, kCFBooleanTrue);
        CFTypeRef data = NULL;
        CHECK_EQUAL(SecItemCopyMatching(again, &data), errSecSuccess);
        CHECK(data && CFEqual(data, CFDictionaryGetValue(item, kSecValueData)));
        if (data) CFRelease(data);
        CFRelease(again);
        CFRelease(item);
    }
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
}

static void several_items_come_as_an_array(void) {
    CHECK_EQUAL(store(CFSTR("one"), "1"), errSecSuccess);
    CHECK_EQUAL(store(CFSTR("two"), "2"), errSecSuccess);
    CFMutableDictionaryRef query = new_query(NULL);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitAll);
    CFArrayRef items = NULL;
    CHECK_EQUAL(SecItemCopyMatching(query, (CFTypeRef *)&items), errSecSuccess);
    CHECK(items && CFArrayGetCount(items) == 2);
    if (items) {
        CHECK_EQUAL(swift_retainCount(items), 1);
        CFDictionaryRef first = CFArrayGetValueAtIndex(items, 0);
        CHECK(CFDictionaryContainsKey(first, kSecAttrAccount));
        // What a collection lends lives as long as the collection is kept.
        CFRetain(first);
        CFRelease(items);
        CHECK_EQUAL(swift_retainCount(first), 1);
        CHECK(CFDictionaryContainsKey(first, CFSTR("acct")));
        CFRelease(first);
    }
    CFDictionaryRemoveValue(query, kSecMatchLimit);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
}

static void an_item_is_protected_by_an_access_control(void) {
    CFErrorRef error = NULL;
    SecAccessControlRef control = SecAccessControlCreateWithFlags(
        kCFAllocatorDefault, kSecAttrAccessibleWhenUnlocked, 0, &error);
    CHECK(control != NULL);
    CHECK(error == NULL);
    CFMutableDictionaryRef query = new_query(CFSTR("protected"));
    CFDictionarySetValue(query, kSecAttrAccessControl, control);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionaryRef item = NULL;
    CHECK_EQUAL(SecItemAdd(query, (CFTypeRef *)&item), errSecSuccess);
    CHECK(item && CFEqual(CFDictionaryGetValue(item, kSecAttrAccessControl), control));
    if (item) CFRelease(item);
    CFDictionaryRemoveValue(query, kSecAttrAccessControl);
    CHECK_EQUAL(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
    CFRelease(control);
}

static void errors_have_a_text(void) {
    CFStringRef text = SecCopyErrorMessageString(errSecItemNotFound, NULL);
    CHECK(CFEqual(text, CFSTR("The specified item could not be found in the keychain.")));
    CFRelease(text);
    text = SecCopyErrorMessageString(12345, NULL);
    CHECK(CFEqual(text, CFSTR("OSStatus 12345")));
    CFRelease(text);
}

static void random_bytes_are_random(void) {
    UInt8 first[1000] = {0}, second[1000] = {0};
    CHECK_EQUAL(SecRandomCopyBytes(kSecRandomDefault, sizeof first, first), errSecSuccess);
    CHECK_EQUAL(SecRandomCopyBytes(kSecRandomDefault, sizeof second, second), errSecSuccess);
    CHECK(memcmp(first, second, sizeof first) != 0);
}

int main(void) {
    passwords_are_stored_found_changed_and_deleted();
    attributes_come_as_a_dictionary();
    several_items_come_as_an_array();
    an_item_is_protected_by_an_access_control();
    errors_have_a_text();
    random_bytes_are_random();
    return all_is_well();
}
