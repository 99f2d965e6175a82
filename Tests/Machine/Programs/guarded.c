// A C program that keeps a note which only its owner reads:
//
//     guarded write TEXT      the passcode or a finger opens it
//     guarded finger TEXT     a finger that is enrolled now
//     guarded read
//
// Ends with 0, or prints the status and ends with 1.
#include <Security/Security.h>
#include <stdio.h>
#include <string.h>

static CFMutableDictionaryRef note(void) {
    CFMutableDictionaryRef note =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionarySetValue(note, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(note, kSecAttrService, CFSTR("guarded note"));
    return note;
}

static int said(OSStatus status) {
    printf("status %d\n", (int)status);
    return status == errSecSuccess ? 0 : 1;
}

static int put(const char *text, SecAccessControlCreateFlags flags) {
    CFErrorRef error = NULL;
    SecAccessControlRef control =
        SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, &error);
    if (control == NULL) {
        return said((OSStatus)CFErrorGetCode(error));
    }
    CFMutableDictionaryRef item = note();
    CFDataRef bytes = CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)strlen(text));
    CFDictionarySetValue(item, kSecValueData, bytes);
    CFDictionarySetValue(item, kSecAttrAccessControl, control);
    return said(SecItemAdd(item, NULL));
}

static int get(void) {
    CFMutableDictionaryRef query = note();
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFTypeRef found = NULL;
    OSStatus status = SecItemCopyMatching(query, &found);
    if (status == errSecSuccess) {
        printf("note: %.*s\n", (int)CFDataGetLength(found), (const char *)CFDataGetBytePtr(found));
    }
    return said(status);
}

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "write") == 0) {
        return put(words[2], kSecAccessControlUserPresence);
    }
    if (count == 3 && strcmp(words[1], "finger") == 0) {
        return put(words[2], kSecAccessControlBiometryCurrentSet);
    }
    if (count == 2 && strcmp(words[1], "read") == 0) {
        return get();
    }
    fprintf(stderr, "usage: guarded write TEXT | finger TEXT | read\n");
    return 2;
}
