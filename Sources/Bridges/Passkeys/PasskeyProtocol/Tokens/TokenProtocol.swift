import Crypto
import CryptoExtras
import KeychainModel

/// How a platform and an authenticator agree on keys, and what they do with them (CTAP 2.1, sections 6.5.6 and 6.5.7).
struct TokenProtocol {
    package enum Version: Int64, Sendable, CaseIterable {
        case one = 1
        case two = 2
    }

    let version: Version
    private let encryptionKey: SymmetricKey
    private let authenticationKey: SymmetricKey

    private static let block = 16

    /// - Throws: `invalidParameter` for a point that is not on the curve.
    init(_ version: Version, _ own: P256.KeyAgreement.PrivateKey, with other: CBORMap) throws(CTAPStatus) {
        let point = try COSEKey.point(of: other)
        guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: point),
            let secret = try? own.sharedSecretFromKeyAgreement(with: key)
        else { throw .invalidParameter }
        self.version = version
        switch version {
        case .one:
            let both = SymmetricKey(data: unsafe secret.withUnsafeBytes { unsafe SHA256.hash(data: $0) })
            encryptionKey = both
            authenticationKey = both
        case .two:
            func derived(_ purpose: String) -> SymmetricKey {
                secret.hkdfDerivedSymmetricKey(
                    using: SHA256.self,
                    salt: [UInt8](repeating: 0, count: 32),
                    sharedInfo: Array(purpose.utf8),
                    outputByteCount: 32
                )
            }
            authenticationKey = derived("CTAP2 HMAC key")
            encryptionKey = derived("CTAP2 AES key")
        }
    }

    /// - Parameter text: of whole blocks.
    func encrypt(_ text: [UInt8]) throws(CTAPStatus) -> [UInt8] {
        let iv = version == .two ? RandomBytes.make(Self.block) : [UInt8](repeating: 0, count: Self.block)
        guard
            let sealed = try? AES._CBC.encrypt(
                text,
                using: encryptionKey,
                iv: AES._CBC.IV(ivBytes: iv),
                noPadding: true
            )
        else { throw .other }
        return (version == .two ? iv : []) + Array(sealed)
    }

    /// - Throws: `invalidParameter` for what was not encrypted so.
    func decrypt(_ bytes: [UInt8]) throws(CTAPStatus) -> [UInt8] {
        let hasVector = version == .two
        let iv = hasVector ? Array(bytes.prefix(Self.block)) : [UInt8](repeating: 0, count: Self.block)
        let text = hasVector ? Array(bytes.dropFirst(Self.block)) : bytes
        guard iv.count == Self.block, !text.isEmpty, text.count % Self.block == 0,
            let opened = try? AES._CBC.decrypt(
                text,
                using: encryptionKey,
                iv: AES._CBC.IV(ivBytes: iv),
                noPadding: true
            )
        else { throw .invalidParameter }
        return Array(opened)
    }

    /// Whether a code is that of a message under the agreed key.
    func isValid(_ code: [UInt8], of message: [UInt8]) -> Bool {
        Self.isValid(code, of: message, key: authenticationKey, version)
    }

    /// The same under another key. It takes a time that says nothing of where they differ.
    static func isValid(_ code: [UInt8], of message: [UInt8], key: SymmetricKey, _ version: Version) -> Bool {
        let right = Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        let expected = version == .one ? Array(right.prefix(16)) : right
        return SecretBytes(code).isEqual(to: SecretBytes(expected))
    }
}
