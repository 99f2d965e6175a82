import Crypto
import Foundation
import KeychainModel

/// The private key of one whom backups are made for.
package struct BackupIdentity: Sendable {
    enum Key: Sendable {
        case x25519(Curve25519.KeyAgreement.PrivateKey)
        case xWing(XWingMLKEM768X25519.PrivateKey)
    }

    let key: Key

    /// A new one, of the scheme that lasts longest.
    package init() throws(BackupFailure) {
        do {
            key = .xWing(try XWingMLKEM768X25519.PrivateKey.generate())
        } catch {
            throw .failed(KeychainError(.internalError, "no key can be made"))
        }
    }

    /// - Parameter bytes: an X25519 key, or the seed of an X-Wing key.
    /// - Returns: nil unless there are 32.
    init?(_ bytes: SecretBytes, _ scheme: BackupScheme) {
        guard bytes.count == Self.size else { return nil }
        let key = try? unsafe bytes.withUnsafeBytes { bytes -> Key in
            switch scheme {
            case .x25519: .x25519(try unsafe Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes))
            case .xWing: .xWing(try unsafe XWingMLKEM768X25519.PrivateKey(seedRepresentation: bytes, publicKey: nil))
            }
        }
        guard let key else { return nil }
        self.key = key
    }

    fileprivate static let size = 32

    var scheme: BackupScheme {
        switch key {
        case .x25519: .x25519
        case .xWing: .xWing
        }
    }

    var publicKey: [UInt8] {
        switch key {
        case .x25519(let key): Array(key.publicKey.rawRepresentation)
        case .xWing(let key): Array(key.publicKey.rawRepresentation)
        }
    }

    /// The private key's 32 bytes, or those of its seed.
    var bytes: SecretBytes {
        var bytes =
            switch key {
            case .x25519(let key): key.rawRepresentation
            case .xWing(let key): key.seedRepresentation
            }
        defer { bytes.resetBytes(in: 0..<bytes.count) }
        return SecretBytes(bytes)
    }

    /// Whom backups are made for that this opens.
    package var recipient: BackupRecipient { BackupRecipient(self) }
}

extension BackupRecipient {
    fileprivate init(_ identity: BackupIdentity) {
        (scheme, publicKey, stanza) = (identity.scheme, identity.publicKey, [])
    }
}

// MARK: - As text

/// Keys as people pass them on: a name, a colon, and hexadecimal digits, the last eight of which tell a key from one that was
/// mistyped. Those of the first scheme have no number in their names.
private enum KeyText {
    static func recipient(_ scheme: BackupScheme) -> String { "chatelaine-backup-recipient" + suffix(scheme) }
    static func identity(_ scheme: BackupScheme) -> String { "chatelaine-backup-identity" + suffix(scheme) }
    private static let checkSize = 4

    private static func suffix(_ scheme: BackupScheme) -> String { scheme == .x25519 ? "" : "-\(scheme.rawValue)" }

    static func text(_ kind: String, _ bytes: [UInt8]) -> String {
        kind + ":" + (bytes + check(kind, bytes)).map { hexadecimal($0) }.joined()
    }

    /// - Parameter size: how many bytes there are, without those that tell mistakes.
    static func bytes(_ kind: String, _ text: some StringProtocol, _ size: Int) -> [UInt8]? {
        guard text.hasPrefix(kind + ":") else { return nil }
        var bytes: [UInt8] = []
        var high: Int?
        for character in text.utf8.dropFirst(kind.utf8.count + 1) {
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(UInt8(first << 4 | digit))
                high = nil
            } else {
                high = digit
            }
        }
        let key = Array(bytes.prefix(size))
        guard high == nil, bytes.count == size + checkSize, bytes == key + check(kind, key) else { return nil }
        return key
    }

    private static func check(_ kind: String, _ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Array(kind.utf8) + bytes).prefix(checkSize))
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

extension BackupRecipient {
    /// What `--recipient` takes.
    package var text: String { KeyText.text(KeyText.recipient(scheme), publicKey) }

    /// - Returns: nil for what is no recipient, or a mistyped one.
    package init?(text: String) {
        for scheme in BackupScheme.allCases {
            guard let key = KeyText.bytes(KeyText.recipient(scheme), text, scheme.publicKeySize) else { continue }
            self.init(publicKey: key)
            return
        }
        return nil
    }
}

extension BackupIdentity {
    /// The lines of an identity file.
    package var text: String {
        let secret = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        return """
            # Opens backups that were made for:
            # \(recipient.text)
            \(KeyText.text(KeyText.identity(scheme), secret))

            """
    }

    /// Reads an identity file: the first line that is neither empty nor a comment.
    ///
    /// - Returns: nil where it is no identity, or a mistyped one.
    package init?(text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.isEmpty || line.hasPrefix("#") { continue }
            for scheme in BackupScheme.allCases {
                guard let bytes = KeyText.bytes(KeyText.identity(scheme), line, Self.size) else { continue }
                self.init(SecretBytes(bytes), scheme)
                return
            }
            return nil
        }
        return nil
    }
}
