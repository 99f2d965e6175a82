import Crypto
import KeychainModel
import KeychainTestSupport

@testable import KeychainExchange

/// The shortest thing that has a PrivateKeyInfo's form.
let privateKeyLike = der(0x30, der(0x02, [0]) + der(0x30, der(0x06, [0x2A, 0x03])) + der(0x04, [1]))

/// A PKCS #12 file of given parts, authenticated with the password "secret" and one iteration.
struct CraftedPKCS12 {
    var version: [UInt8] = [3]
    /// ContentInfos.
    var safes: [[UInt8]] = []
    var trailer: [UInt8] = []
    /// In the place of the right one.
    var code: [UInt8]?

    static let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    static let encryptedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x06]

    var bytes: [UInt8] {
        get throws {
            let safe = der(0x30, safes.flatMap { $0 })
            let code =
                try self.code
                ?? PKCS12MAC.encoded(for: safe, ExchangePassword(SecretBytes("secret")), iterations: 1, isOld: false)
            return der(0x30, der(0x02, version) + Self.content(Self.data, der(0x04, safe)) + code + trailer)
        }
    }

    func read(_ limits: ExchangeLimits = .standard) throws -> PKCS12Contents {
        try PKCS12Contents(reading: bytes, password: SecretBytes("secret"), limits: limits)
    }

    static func content(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] { der(0x30, type + der(0xA0, value)) }

    /// A ContentInfo with bags that are not encrypted.
    static func safe(_ bags: [[UInt8]]) -> [UInt8] {
        content(data, der(0x04, der(0x30, bags.flatMap { $0 })))
    }

    /// - Parameter type: the last number of the bag's identifier.
    static func bag(_ type: UInt8, _ value: [UInt8], attributes: [UInt8] = []) -> [UInt8] {
        der(
            0x30,
            [0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, type] + der(0xA0, value)
                + attributes
        )
    }

    static func certificateBag(_ certificate: [UInt8], attributes: [UInt8] = []) -> [UInt8] {
        let type: [UInt8] = [0x06, 0x0A, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x16, 0x01]
        return bag(3, der(0x30, type + der(0xA0, der(0x04, certificate))), attributes: attributes)
    }

    /// An attribute of PKCS #9, by the last number of its identifier.
    static func attribute(_ type: UInt8, _ values: [UInt8]) -> [UInt8] {
        der(0x30, [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, type] + der(0x31, values))
    }

    /// The MacData of PKCS #12's own derivation.
    static func code(iterations: [UInt8], salt: [UInt8] = [1, 2, 3, 4], size: Int = 32) -> [UInt8] {
        let sha256: [UInt8] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00]
        return der(
            0x30,
            der(0x30, der(0x30, sha256) + der(0x04, [UInt8](repeating: 0, count: size))) + der(0x04, salt)
                + der(0x02, iterations)
        )
    }
}

/// Encodes BER anew with the lengths that are not said, and OCTET STRINGs in pieces: as others may write the same.
func indefinite(_ bytes: [UInt8]) -> [UInt8] {
    var rest = bytes[...]
    var result: [UInt8] = []
    while let tag = rest.popFirst() {
        var length = Int(rest.removeFirst())
        if length > 0x80 {
            let count = length - 0x80
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        let content = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        if tag & 0x20 != 0 {
            result += [tag, 0x80] + indefinite(content) + [0, 0]
        } else if tag == 0x04, length > 2 {
            // The second piece is in pieces itself.
            let half = length / 2
            result += [0x24, 0x80] + der(0x04, Array(content[..<half]))
            result += der(0x24, der(0x04, Array(content[half...])) + der(0x04, [])) + [0, 0]
        } else {
            result += der(tag, content)
        }
    }
    return result
}
