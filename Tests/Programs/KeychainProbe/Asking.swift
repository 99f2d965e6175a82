import Foundation
import LocalAuthentication
import Security

/// Has the owner asked for all that may be refused, and says how.
enum Asking {
    static func run() {
        for policy in [
            LAPolicy.deviceOwnerAuthentication, .deviceOwnerAuthenticationWithBiometrics,
            .deviceOwnerAuthenticationWithCompanion,
        ] {
            print(line: "\(policy.rawValue) can \(LAContext().canEvaluatePolicy(policy, error: nil))")
            let done = DispatchSemaphore(value: 0)
            LAContext().evaluatePolicy(policy, localizedReason: "to see") { success, error in
                print(line: "\(policy.rawValue) is \(success) \((error as? LAError)?.code.rawValue ?? 0)")
                done.signal()
            }
            done.wait()
        }
        for flags in [.biometryAny, .biometryCurrentSet, .devicePasscode, .watch] as [SecAccessControlCreateFlags] {
            let account = "\(flags.rawValue)"
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "asking", kSecAttrAccount: account,
                kSecValueData: Data("secret".utf8),
                kSecAttrAccessControl: SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
                    as Any,
            ]
            print(line: "\(account) add \(SecItemAdd(item as CFDictionary, nil))")
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "asking", kSecAttrAccount: account,
                kSecReturnData: true,
            ]
            var result: CFTypeRef?
            print(line: "\(account) read \(SecItemCopyMatching(query as CFDictionary, &result))")
        }
    }
}
