import Crypto
import Foundation
import PasskeyProtocol
import Terminal

extension Passkey {
    /// Its identifier in hexadecimal.
    var number: String {
        id.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// As `ssh-keygen -l` shows a key that ssh made; of any other, the digest of the point (X9.63).
    var keyFingerprint: String {
        var bytes = publicKey
        if site.id.hasPrefix("ssh:") {
            bytes = []
            for field in [
                Array("sk-ecdsa-sha2-nistp256@openssh.com".utf8), Array("nistp256".utf8), publicKey,
                Array(site.id.utf8),
            ] {
                // Four bytes of its length, of which none needs more than two.
                bytes += [0, 0, UInt8(field.count >> 8 & 0xFF), UInt8(field.count & 0xFF)] + field
            }
        }
        let digest = Data(SHA256.hash(data: bytes)).base64EncodedString()
        return "P-256 SHA256:" + digest.filter { $0 != "=" }
    }

    var place: String {
        switch kind {
        case .thisDevice: "this device"
        case .synchronizable: "all devices"
        }
    }

    /// For programs: what `show` says.
    var json: JSONText {
        .object([
            ("number", .string(number)),
            ("site", .string(site.id)),
            ("account", .string(user.name)),
            ("displayName", .string(user.displayName)),
            ("allDevices", .bool(kind == .synchronizable)),
            ("discoverable", .bool(isDiscoverable)),
            ("credProtect", .number(Int64(protection.rawValue))),
            ("fingerprint", .string(keyFingerprint)),
        ])
    }

    /// Which programs learn that it is there.
    var audience: String {
        switch protection {
        case .optional: "1: every program that asks for the site"
        case .unlessNamed: "2: programs that name it; others after your passcode or finger"
        case .required: "3: programs after your passcode or finger"
        }
    }
}
