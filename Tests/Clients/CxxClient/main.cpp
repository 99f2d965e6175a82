// A C++ program that keeps passwords, in the style of the C++ programs that use Keychain Services: objects that release
// what they own.
#include <Security/Security.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace {

struct Releaser {
    void operator()(CFTypeRef object) const {
        if (object) CFRelease(object);
    }
};

template <typename Ref> using Owned = std::unique_ptr<std::remove_pointer_t<Ref>, Releaser>;

template <typename Ref> Owned<Ref> own(Ref object) { return Owned<Ref>(object); }

Owned<CFStringRef> string(const std::string &text) {
    return own(CFStringCreateWithBytes(nullptr, reinterpret_cast<const UInt8 *>(text.data()),
                                       static_cast<CFIndex>(text.size()), kCFStringEncodingUTF8, false));
}

Owned<CFDataRef> data(const std::string &bytes) {
    return own(CFDataCreate(nullptr, reinterpret_cast<const UInt8 *>(bytes.data()), static_cast<CFIndex>(bytes.size())));
}

class Keychain {
public:
    explicit Keychain(std::string service) : service_(std::move(service)) {}

    OSStatus set(const std::string &account, const std::string &password) {
        auto query = this->query(account);
        auto value = data(password);
        auto changes = dictionary();
        CFDictionarySetValue(changes.get(), kSecValueData, value.get());
        OSStatus status = SecItemUpdate(query.get(), changes.get());
        if (status != errSecItemNotFound) return status;
        CFDictionarySetValue(query.get(), kSecValueData, value.get());
        return SecItemAdd(query.get(), nullptr);
    }

    std::optional<std::string> get(const std::string &account) {
        auto query = this->query(account);
        CFDictionarySetValue(query.get(), kSecReturnData, kCFBooleanTrue);
        CFTypeRef result = nullptr;
        if (SecItemCopyMatching(query.get(), &result) != errSecSuccess) return std::nullopt;
        auto found = own(static_cast<CFDataRef>(result));
        return std::string(reinterpret_cast<const char *>(CFDataGetBytePtr(found.get())),
                           static_cast<size_t>(CFDataGetLength(found.get())));
    }

    std::vector<std::string> accounts() {
        auto query = this->query("");
        CFDictionarySetValue(query.get(), kSecReturnAttributes, kCFBooleanTrue);
        CFDictionarySetValue(query.get(), kSecMatchLimit, kSecMatchLimitAll);
        CFTypeRef result = nullptr;
        std::vector<std::string> names;
        if (SecItemCopyMatching(query.get(), &result) != errSecSuccess) return names;
        auto items = own(static_cast<CFArrayRef>(result));
        for (CFIndex index = 0; index < CFArrayGetCount(items.get()); index++) {
            auto item = static_cast<CFDictionaryRef>(CFArrayGetValueAtIndex(items.get(), index));
            auto name = static_cast<CFStringRef>(CFDictionaryGetValue(item, kSecAttrAccount));
            char text[100] = {};
            CFStringGetCString(name, text, sizeof text, kCFStringEncodingUTF8);
            names.emplace_back(text);
        }
        return names;
    }

    OSStatus remove(const std::string &account) { return SecItemDelete(query(account).get()); }

private:
    static Owned<CFMutableDictionaryRef> dictionary() {
        return own(CFDictionaryCreateMutable(nullptr, 0, &kCFTypeDictionaryKeyCallBacks,
                                             &kCFTypeDictionaryValueCallBacks));
    }

    Owned<CFMutableDictionaryRef> query(const std::string &account) {
        auto query = dictionary();
        auto service = string(service_), name = string(account);
        CFDictionarySetValue(query.get(), kSecClass, kSecClassGenericPassword);
        CFDictionarySetValue(query.get(), kSecAttrService, service.get());
        if (!account.empty()) CFDictionarySetValue(query.get(), kSecAttrAccount, name.get());
        return query;
    }

    std::string service_;
};

int failures = 0;

void check(bool condition, const char *what) {
    if (condition) return;
    failures++;
    std::cout << "NOT OK: " << what << "\n";
}

} // namespace

int main() {
    Keychain keychain("com.example.c++");
    check(keychain.set("ada", "first") == errSecSuccess, "a password is stored");
    check(keychain.set("ada", "second") == errSecSuccess, "it is changed");
    check(keychain.get("ada") == "second", "it is found");
    check(keychain.set("grüße", "umlauts and \xF0\x9F\x94\x91") == errSecSuccess, "names may be any text");
    check(keychain.get("grüße") == "umlauts and \xF0\x9F\x94\x91", "and so may passwords");
    check(keychain.accounts().size() == 2, "all are listed");
    check(keychain.remove("ada") == errSecSuccess, "one is deleted");
    check(!keychain.get("ada"), "and not found any more");
    check(keychain.remove("") == errSecSuccess, "the others are deleted");
    check(keychain.accounts().empty(), "and nothing is left");

    SecAccessControlCreateFlags flags = kSecAccessControlBiometryAny | kSecAccessControlOr | kSecAccessControlDevicePasscode;
    CFErrorRef error = nullptr;
    auto control = own(SecAccessControlCreateWithFlags(nullptr, kSecAttrAccessibleWhenUnlocked, flags, &error));
    check(control && !error, "an access control is made");
    check(!SecAccessControlCreateWithFlags(nullptr, kSecAttrAccessibleWhenUnlocked,
                                           kSecAccessControlOr | kSecAccessControlAnd, &error),
          "flags that contradict each other are refused");
    auto reason = own(error);
    check(reason && CFErrorGetCode(reason.get()) == errSecParam, "with an error");

    auto policy = own(SecPolicyCreateSSL(true, CFSTR("example.com")));
    check(CFGetTypeID(policy.get()) == SecPolicyGetTypeID(), "a policy is one");
    SecCertificateRef certificate = SecCertificateCreateWithData(nullptr, data("nonsense").get());
    check(certificate == nullptr, "nonsense is no certificate");
    SecTrustResultType result = kSecTrustResultInvalid;
    check(result == 0, "enumerations have Apple's values");
    SecKeyOperationType operation = kSecKeyOperationTypeKeyExchange;
    check(operation == 4, "of keys too");

    if (failures == 0) std::cout << "all is well\n";
    return failures != 0;
}
