// A program that asks what it was given: tasks GROUPS. It is run with entitlements, or, with "none", without.
#include <Security/Security.h>
#include <string.h>

#include "check.h"

int main(int count, char **arguments) {
    if (count != 2) return 2;
    int has_any = strcmp(arguments[1], "none") != 0;
    SecTaskRef task = SecTaskCreateFromSelf(kCFAllocatorDefault);
    CHECK(task && CFGetTypeID(task) == SecTaskGetTypeID());
    if (!task) return all_is_well();
    CHECK_EQUAL(swift_retainCount(task), 1);

    CFErrorRef error = NULL;
    CFTypeRef groups = SecTaskCopyValueForEntitlement(task, CFSTR("keychain-access-groups"), &error);
    CHECK(!error);
    CHECK_EQUAL(groups != NULL, has_any);
    if (groups) {
        CHECK_EQUAL(CFGetTypeID(groups), CFArrayGetTypeID());
        CHECK_EQUAL(CFArrayGetCount(groups), 2);
        CHECK(CFEqual(CFArrayGetValueAtIndex(groups, 0), CFSTR("TEAM123456.shared")));
        CFRelease(groups);
    }
    CFTypeRef sandbox = SecTaskCopyValueForEntitlement(task, CFSTR("com.apple.security.app-sandbox"), &error);
    CHECK(sandbox == (has_any ? (CFTypeRef)kCFBooleanTrue : NULL));
    if (sandbox) CFRelease(sandbox);
    CHECK(SecTaskCopyValueForEntitlement(task, CFSTR("com.example.absent"), &error) == NULL && !error);

    const void *names[] = {CFSTR("com.apple.security.app-sandbox"), CFSTR("com.example.absent")};
    CFArrayRef list = CFArrayCreate(NULL, names, 2, &kCFTypeArrayCallBacks);
    CFDictionaryRef values = SecTaskCopyValuesForEntitlements(task, list, &error);
    CHECK(values && !error);
    if (values) {
        CHECK_EQUAL(CFDictionaryGetCount(values), has_any);
        CFRelease(values);
    }
    CFRelease(list);
    CFStringRef identifier = SecTaskCopySigningIdentifier(task, &error);
    CHECK(identifier && !error && CFEqual(identifier, has_any ? CFSTR("com.example.notes") : CFSTR("program")));
    if (identifier) CFRelease(identifier);
    CFRelease(task);
    return all_is_well();
}
