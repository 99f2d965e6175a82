// A program that keeps a password, in C++.
#include <Security/Security.h>

#include <iostream>
#include <memory>

template <typename Ref>
using Owned = std::unique_ptr<std::remove_pointer_t<Ref>, decltype(&CFRelease)>;

template <typename Ref>
Owned<Ref> owned(Ref reference) {
    return Owned<Ref>(reference, CFRelease);
}

int main() {
    auto item = owned(CFDictionaryCreateMutable(
        kCFAllocatorDefault, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks));
    CFDictionarySetValue(item.get(), kSecClass, kSecClassInternetPassword);
    CFDictionarySetValue(item.get(), kSecAttrServer, CFSTR("example.com"));
    CFDictionarySetValue(item.get(), kSecAttrAccount, CFSTR("alice"));
    OSStatus first = SecItemAdd(item.get(), nullptr);
    OSStatus second = SecItemAdd(item.get(), nullptr);
    OSStatus deleted = SecItemDelete(item.get());
    bool well = first == errSecSuccess && second == errSecDuplicateItem && deleted == errSecSuccess;
    std::cout << (well ? "all is well" : "NOT OK") << std::endl;
    return well ? 0 : 1;
}
