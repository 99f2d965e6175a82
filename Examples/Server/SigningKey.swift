import Crypto
import Foundation
import Security

/// The server's secret, which it reads once, from its keychain.
struct SigningKey {
    private let key: SymmetricKey

    init(service: String, account: String) throws {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            kSecReturnData as String: true,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status == errSecSuccess, let data = item as? Data else { throw KeychainFailure(status: status) }
        key = SymmetricKey(data: data)
    }

    /// A code that only the holder of the secret can make.
    func code(for text: String) -> String {
        HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key).map { byte in
            byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
        }.joined()
    }
}

struct KeychainFailure: Error, CustomStringConvertible {
    let status: OSStatus

    var description: String {
        let message = SecCopyErrorMessageString(status, nil) as String? ?? "unknown"
        return "the keychain gives no signing key: \(status) (\(message))"
    }
}
