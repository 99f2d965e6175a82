import Crypto
import EnclaveInterface
import KeychainModel

/// What the class key's box holds of an item that only the fingers of its making open (`biometryCurrentSet`).
///
/// `docs/formats/row.md` gives every byte.
struct BiometryBoundKey {
    /// Names the key that the set of fingers has.
    private let name: [UInt8]
    private let contents: Contents

    private enum Contents {
        /// Under that key.
        case bound([UInt8])
        /// As it is: the item has another way in besides fingers, which outlives them.
        case free(SecretBytes)
    }

    private static let version: UInt8 = 1
    private static let nameSize = 16

    /// - Parameter isFree: whether the item can be had without a finger.
    init(
        _ content: SecretBytes,
        under key: SymmetricKey,
        isFree: Bool,
        authenticating data: [UInt8]
    ) throws(KeychainError) {
        name = Self.name(of: key)
        contents =
            isFree
            ? .free(content)
            : .bound(try Cipher.seal(secret: content, under: Self.sealingKey(key), authenticating: data))
    }

    /// - Throws: `undecodable`.
    init(_ bytes: SecretBytes) throws(KeychainError) {
        let header = 2 + Self.nameSize
        guard bytes.count > header else { throw KeychainError.damagedItemKey }
        let start = unsafe bytes.withUnsafeBytes { unsafe Array($0.prefix(header)) }
        guard start[0] == Self.version else { throw KeychainError.damagedItemKey }
        name = Array(start[2...])
        switch start[1] {
        case 0: contents = .free(unsafe bytes.withUnsafeBytes { unsafe SecretBytes($0.dropFirst(header)) })
        case 1: contents = .bound(unsafe bytes.withUnsafeBytes { unsafe Array($0.dropFirst(header)) })
        default: throw KeychainError.damagedItemKey
        }
    }

    var bytes: SecretBytes {
        switch contents {
        case .bound(let box): SecretBytes([Self.version, 1] + name + box)
        case .free(let content):
            unsafe content.withUnsafeBytes { unsafe SecretBytes([Self.version, 0] + name + $0) }
        }
    }

    func isUnder(_ key: SymmetricKey) -> Bool { name == Self.name(of: key) }

    /// Nil where only the fingers open it.
    var free: SecretBytes? {
        if case .free(let content) = contents { content } else { nil }
    }

    /// - Throws: `undecodable` for another key than that of its fingers.
    func content(under key: SymmetricKey, authenticating data: [UInt8]) throws(KeychainError) -> SecretBytes {
        switch contents {
        case .free(let content): return content
        case .bound(let box):
            guard let content = Cipher.openSecret(box, under: Self.sealingKey(key), authenticating: data) else {
                throw KeychainError.damagedItemKey
            }
            return content
        }
    }

    private static func name(of key: SymmetricKey) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(for: Array("chatelaine biometry name 1".utf8), using: key)
        return Array(code.prefix(nameSize))
    }

    private static func sealingKey(_ key: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            info: Array("chatelaine biometry bound 1".utf8),
            outputByteCount: 32
        )
    }
}

/// What can be done with items that are bound to fingers, now.
enum PresentBiometry {
    /// The enrolled fingers are unknown. That says nothing about the items.
    case unknown
    /// The key of those that are.
    case known(SymmetricKey)
}
