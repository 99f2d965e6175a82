public import CoreFoundationAliases
import Foundation

/// Adds a certificate to the keychain, as `SecItemAdd` with `kSecValueRef` does.
///
/// - Parameters:
///   - certificate: what is added.
///   - keychain: nil; there is one keychain.
/// - Returns: what `SecItemAdd` returns; `errSecDuplicateItem` where it is there already.
@discardableResult
public func SecCertificateAddToKeychain(_ certificate: SecCertificate, _ keychain: SecKeychain?) -> OSStatus {
    SecItemAdd([kSecClass: kSecClassCertificate, kSecValueRef: certificate] as CFDictionary, nil)
}
