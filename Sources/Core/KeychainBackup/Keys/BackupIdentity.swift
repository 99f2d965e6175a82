import Crypto
import Foundation
import KeychainModel

/// The private key of one whom backups are made for.
package struct BackupIdentity: Sendable {
    let key: Curve25519.KeyAgreement.PrivateKey

    /// A new one.
    package init() {
        key = Curve25519.KeyAgreement.PrivateKey()
    }

    /// - Returns: nil unless there are 32 bytes.
    init?(_ bytes: SecretBytes) {
        guard bytes.count == BackupRecipient.keySize,
            let key = try? unsafe bytes.withUnsafeBytes({ bytes in
                try unsafe Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            })
        else { return nil }
        self.key = key
    }

    var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    /// The private key's 32 bytes.
    var bytes: SecretBytes {
        var bytes = key.rawRepresentation
        defer { bytes.resetBytes(in: 0..<bytes.count) }
        return SecretBytes(bytes)
    }

    /// Whom backups are made for that this opens.
    package var recipient: BackupRecipient { BackupRecipient(key.publicKey) }
}

extension BackupRecipient {
    fileprivate init(_ key: Curve25519.KeyAgreement.PublicKey) {
        publicKey = Array(key.rawRepresentation)
        stanza = []
    }
}

// MARK: - As text

/// Keys as people pass them on: a name, a colon, and 72 hexadecimal digits, the last eight of which tell a key from one
/// that was mistyped.
private enum KeyText {
    static let recipient = "chatelaine-backup-recipient"
    static let identity = "chatelaine-backup-identity"
    private static let checkSize = 4

    static func text(_ kind: String, _ bytes: [UInt8]) -> String {
        kind + ":" + (bytes + check(kind, bytes)).map { hexadecimal($0) }.joined()
    }

    static func bytes(_ kind: String, _ text: some StringProtocol) -> [UInt8]? {
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
        let key = Array(bytes.prefix(BackupRecipient.keySize))
        guard high == nil, bytes.count == BackupRecipient.keySize + checkSize, bytes == key + check(kind, key) else {
            return nil
        }
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
    package var text: String { KeyText.text(KeyText.recipient, publicKey) }

    /// - Returns: nil for what is no recipient, or a mistyped one.
    package init?(text: String) {
        guard let key = KeyText.bytes(KeyText.recipient, text) else { return nil }
        self.init(publicKey: key)
    }
}

extension BackupIdentity {
    /// The lines of an identity file.
    package var text: String {
        let secret = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        return """
            # Opens backups that were made for:
            # \(recipient.text)
            \(KeyText.text(KeyText.identity, secret))

            """
    }

    /// Reads an identity file: the first line that is neither empty nor a comment.
    ///
    /// - Returns: nil where it is no identity, or a mistyped one.
    package init?(text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let bytes = KeyText.bytes(KeyText.identity, line) else { return nil }
            self.init(SecretBytes(bytes))
            return
        }
        return nil
    }
}
