// A program that keeps a password, in C.
#include <Security/Security.h>
#include <stdio.h>

int main(void) {
    const void *keys[] = {kSecClass, kSecAttrService, kSecAttrAccount, kSecValueData};
    CFDataRef secret = CFDataCreate(kCFAllocatorDefault, (const UInt8 *)"secret", 6);
    const void *values[] = {kSecClassGenericPassword, CFSTR("mail"), CFSTR("alice"), secret};
    CFDictionaryRef item = CFDictionaryCreate(
        kCFAllocatorDefault, keys, values, 4, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    OSStatus added = SecItemAdd(item, NULL);

    CFMutableDictionaryRef query = CFDictionaryCreateMutableCopy(kCFAllocatorDefault, 0, item);
    CFDictionaryRemoveValue(query, kSecValueData);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFTypeRef found = NULL;
    OSStatus status = SecItemCopyMatching(query, &found);
    int well = added == errSecSuccess && status == errSecSuccess && found && CFEqual(found, secret);

    if (found) CFRelease(found);
    CFRelease(query);
    CFRelease(item);
    CFRelease(secret);
    printf(well ? "all is well\n" : "NOT OK: %d, %d\n", (int)added, (int)status);
    return !well;
}
