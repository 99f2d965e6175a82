import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

// What C's private header has besides.

/// Encrypts with what a caller adds.
///
/// - Parameter parameters: `sharedInfo`, of which ECIES derives its key too (data); `symKeySizeInBits`, of the AES key
///   (128, 192 or 256); `symAAD`, which AES-GCM authenticates (data). Other keys mean nothing.
/// - Parameter error: receives `errSecParam` for values of other types; what `SecKeyCreateEncryptedData` reports.
package func encryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        let ciphertext = try key.requirePublic().encrypted(
            Array(plaintext as Data),
            KeyAlgorithm(required: algorithm),
            CipherParameters(parameters)
        )
        return NSData(copying: ciphertext)
    }
}

/// Decrypts with what was added when it was encrypted.
package func decryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        try key.decrypted(Array(ciphertext as Data), KeyAlgorithm(required: algorithm), CipherParameters(parameters))
            .object
    }
}

/// A private key on a curve from ECPrivateKey in DER (RFC 5915), which need not name the curve; nil for anything else.
package func ellipticCurveKey(sec1 data: CFData) -> SecKey? {
    (try? CurvePrivateKey(lengthTellingSEC1: SecretBytes(data as Data))).map { SecKey(.privateKey(PrivateKey($0))) }
}

extension CipherParameters {
    /// - Throws: `invalidParameter` for values of other types.
    fileprivate init(_ dictionary: CFDictionary) throws(KeychainError) {
        self.init()
        sharedInfo = try Self.bytes("sharedInfo", in: dictionary) ?? []
        additionalData = try Self.bytes("symAAD", in: dictionary)
        switch dictionary["symKeySizeInBits" as NSString] {
        case nil: break
        case let number as NSNumber where !isBoolean(number):
            // What is no whole number is no size either.
            symmetricKeySizeInBits = Int(exactly: number.doubleValue) ?? 0
        default: throw KeychainError(.invalidParameter, "the size of the symmetric key is no number")
        }
    }

    private static func bytes(_ key: NSString, in dictionary: CFDictionary) throws(KeychainError) -> [UInt8]? {
        guard let value = dictionary[key] else { return nil }
        guard let data = value as? Data else {
            throw KeychainError(.invalidParameter, "the parameter \(key) is no data")
        }
        return Array(data)
    }
}
