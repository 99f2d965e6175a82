import FuzzSupport

@testable import KeychainModel
@testable import KeychainVault

/// The secret of a row, once it is open.
///
/// There is one encoding of some secrets: what the decoder takes, the encoder gives back byte for byte.
@main
enum FuzzSecrets: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard let secrets = SecretCodec.decode(SecretBytes(bytes)) else { return }
        require(
            SecretCodec.encode(sha1: secrets.sha1, secrets.values).withUnsafeBytes { Array($0) } == bytes,
            "an encoding that the decoder takes is the only one"
        )
        require("\(secrets)" == "[REDACTED]", "secrets do not print")
    }

    static func seeds() -> [String: [UInt8]] {
        func encoded(_ secrets: [AttributeKey: [UInt8]]) -> [UInt8] {
            let digest = [UInt8](repeating: 0xD1, count: 20)
            return SecretCodec.encode(sha1: digest, secrets.mapValues { SecretBytes($0) }).withUnsafeBytes { Array($0) }
        }
        return [
            "nothing": encoded([:]), "empty": encoded([.valueData: []]),
            "password": encoded([.valueData: Array("a password".utf8)]),
            "padded-full": encoded([.valueData: [UInt8](repeating: 1, count: 31)]),
            "notes": encoded([.valueData: Array("internet".utf8), "binn": Array("notes".utf8), "bin0": [0]]),
        ]
    }
}
