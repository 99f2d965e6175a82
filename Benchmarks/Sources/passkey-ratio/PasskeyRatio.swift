import Crypto
import CryptoSecureEnclave
import Foundation
import KeychainMeasuring
import Security

/// Measures a log-in by passkey against a signature of the enclave that asks its owner, in turns: `passkey-ratio SOCKET [ROUNDS]`.
/// The socket is the security key's, and the environment names the keychain; somebody answers its prompts at once.
@main
struct PasskeyRatio {
    /// In seconds: the security key asks eight times a minute for a site.
    private static let pause: UInt32 = 8
    private static let digest = Array(SHA256.hash(data: Data("a challenge".utf8)))
    private static let site = "example.com"

    static func main() throws {
        guard let socket = CommandLine.arguments.dropFirst().first else { fatalError("passkey-ratio SOCKET [ROUNDS]") }
        let rounds = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 10
        let key = try SecurityKey(path: socket)
        let credential = try register(key)
        guard
            let guarded = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                [.privateKeyUsage, .userPresence],
                nil
            )
        else { throw CryptoKitError.incorrectKeySize }
        let enclave = try SecureEnclave.P256.Signing.PrivateKey(accessControl: guarded)
        var comparison = Comparison()
        for _ in 0..<rounds {
            sleep(pause)
            try comparison.round(
                floor: { try $0.measure([()]) { _ in _ = try enclave.signature(for: Data(digest)) } },
                operation: { try $0.measure([()]) { _ in try logIn(key, credential) } }
            )
        }
        var table = Table(["operation", "signature + prompt µs", "log-in µs", "p90 µs", "ratio", "more µs"])
        table.append([
            "log-in, presence", comparison.floor.median.text(1), comparison.operation.median.text(1),
            comparison.operation.quantile(0.9).text(1), comparison.ratio.text(2),
            (comparison.operation.median - comparison.floor.median).text(1),
        ])
        print(table.text)
    }

    /// - Returns: the credential's identifier.
    private static func register(_ key: borrowing SecurityKey) throws -> [UInt8] {
        let answer = try key.ask(
            0x01,
            CBOR.map([
                (.number(1), .bytes(digest)),
                (.number(2), .map([(.text("id"), .text(site))])),
                (.number(3), .map([(.text("id"), .bytes([1, 2, 3])), (.text("name"), .text("ada"))])),
                (.number(4), .list([.map([(.text("alg"), .number(-7)), (.text("type"), .text("public-key"))])])),
            ]).encoded
        )
        // The authenticator's data begin with the digest of the site; after 37 bytes and the model come length and identifier.
        let start = Array(SHA256.hash(data: Data(site.utf8)))
        guard let place = answer.firstRange(of: start)?.lowerBound else { throw SecurityKey.Failure.notAnswered }
        let length = Int(answer[place + 53]) << 8 | Int(answer[place + 54])
        return Array(answer[(place + 55)..<(place + 55 + length)])
    }

    private static func logIn(_ key: borrowing SecurityKey, _ credential: [UInt8]) throws {
        let known = CBOR.map([(.text("id"), .bytes(credential)), (.text("type"), .text("public-key"))])
        _ = try key.ask(
            0x02,
            CBOR.map([(.number(1), .text(site)), (.number(2), .bytes(digest)), (.number(3), .list([known]))]).encoded
        )
    }
}
