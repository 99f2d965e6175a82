package import Crypto

/// What an item's attributes are looked for by before the keychain's first unlock, when they cannot be read: for each pair
/// of name and value a code that only this keychain's key makes.
package struct BlindAttributes: Sendable, Equatable {
    package struct Code: Sendable, Hashable {
        package let bytes: [UInt8]

        package static let size = 16
    }

    /// In no order that tells anything: sorted.
    package let codes: [Code]

    package init(_ attributes: SecretAttributes, key: SymmetricKey) {
        codes = attributes.pairs.map { Self.code(of: $0, key: key) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    package init?(serialized bytes: [UInt8]) {
        guard bytes.first == Self.version, (bytes.count - 1).isMultiple(of: Code.size) else { return nil }
        codes = stride(from: 1, to: bytes.count, by: Code.size).map { Code(bytes: Array(bytes[$0..<$0 + Code.size])) }
    }

    /// docs/formats/secret-service.md
    package var serialized: [UInt8] { [Self.version] + codes.flatMap(\.bytes) }

    private static let version: UInt8 = 1

    static func code(of pair: SecretAttributes.Pair, key: SymmetricKey) -> Code {
        var message = Array(pair.name.utf8)
        // Neither has such a byte.
        message.append(0)
        message += Array(pair.value.utf8)
        return Code(bytes: Array(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(Code.size)))
    }
}
