import CoreFoundationAliases
import Foundation
import KeychainCertificates
import KeychainExchange
import KeychainModel
import Security
import Terminal

/// A private key of the keychain that a certificate is made for. It signs where it is.
struct CertifiedKey {
    /// A SubjectPublicKeyInfo in DER.
    let publicKey: [UInt8]
    let algorithm: SignatureAlgorithm
    private let key: SecKey
    private let keyAlgorithm: SecKeyAlgorithm

    /// Finds the one private key that has this label.
    ///
    /// - Throws: also where several have it, since the choice would be arbitrary.
    init(label: String, in scope: ScopeOptions) throws(Failure) {
        let attributes: [CFString: Any] = [kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label]
        var query = ItemSearch(.key, attributes, in: scope).query
        query[kSecReturnRef] = true
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess, let keys = result as? [Any], let found = keys.first else {
            throw Failure(.search, status)
        }
        guard keys.count == 1 else { throw Failure("\(keys.count) private keys have this label") }
        guard let key = found as? SecKey, let publicHalf = SecKeyCopyPublicKey(key),
            let bytes = SecKeyCopyExternalRepresentation(publicHalf, nil),
            let publicKey = PublicKey(rsa: Array(bytes as Data)) ?? PublicKey(point: Array(bytes as Data)),
            let algorithms = Self.algorithms(publicKey)
        else { throw Failure("certificates are not made for such a key") }
        self.publicKey = publicKey.subjectPublicKeyInfo
        self.key = key
        (algorithm, keyAlgorithm) = algorithms
    }

    /// The signature of bytes. The person is asked first, where the key demands that.
    func sign(_ toBeSigned: [UInt8]) throws(Failure) -> [UInt8] {
        var error: Unmanaged<CFError>?
        guard let signature = unsafe SecKeyCreateSignature(key, keyAlgorithm, Data(toBeSigned) as CFData, &error) else {
            throw Failure(.sign, unsafe OSStatus(error?.takeRetainedValue().code ?? Int(errSecInternalError)))
        }
        return Array(signature as Data)
    }

    /// What authorities expect of keys of a kind: a digest as strong as the key. Nil for a key that does not sign here.
    private static func algorithms(_ key: PublicKey) -> (SignatureAlgorithm, SecKeyAlgorithm)? {
        switch key.kind {
        case .rsa: (.sha256WithRSA, .rsaSignatureMessagePKCS1v15SHA256)
        case .ellipticCurve(.p256, _, _): (.ecdsaWithSHA256, .ecdsaSignatureMessageX962SHA256)
        case .ellipticCurve(.p384, _, _): (.ecdsaWithSHA384, .ecdsaSignatureMessageX962SHA384)
        case .ellipticCurve(.p521, _, _): (.ecdsaWithSHA512, .ecdsaSignatureMessageX962SHA512)
        case .ed25519: nil
        }
    }
}
