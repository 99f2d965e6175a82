import Crypto
import CryptoSecureEnclave
import Foundation
import KeychainMeasuring
import Security

/// Measures private keys of the enclave, of the keychain that the environment names, against swift-crypto in this process,
/// in turns: `key-ratio [ROUNDS]`.
@main
struct KeyRatio {
    private static let runs = 20

    static func main() throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 30
        var table = Table(["operation", "swift-crypto µs", "enclave µs", "p90 µs", "ratio", "more µs"])
        let digest = SHA256.hash(data: Data("a message".utf8))
        let software = P256.Signing.PrivateKey()
        let enclave = try SecureEnclave.P256.Signing.PrivateKey()
        try measure("sign", rounds, &table) {
            _ = try software.signature(for: digest)
        } against: {
            _ = try enclave.signature(for: digest)
        }
        let signature = try software.signature(for: digest)
        let publicKey = software.publicKey
        guard let key = publicSecKey(publicKey.x963Representation) else { throw CryptoKitError.incorrectKeySize }
        let der = signature.derRepresentation as CFData
        let bytes = Data(digest) as CFData
        try measure("verify (SecKey, in this process)", rounds, &table) {
            guard publicKey.isValidSignature(signature, for: digest) else { throw CryptoKitError.authenticationFailure }
        } against: {
            guard SecKeyVerifySignature(key, .ecdsaSignatureDigestX962SHA256, bytes, der, nil) else {
                throw CryptoKitError.authenticationFailure
            }
        }
        let agreeing = P256.KeyAgreement.PrivateKey()
        let guarded = try SecureEnclave.P256.KeyAgreement.PrivateKey()
        let other = P256.KeyAgreement.PrivateKey().publicKey
        try measure("agree", rounds, &table) {
            _ = try agreeing.sharedSecretFromKeyAgreement(with: other)
        } against: {
            _ = try guarded.sharedSecretFromKeyAgreement(with: other)
        }
        try measure("make", rounds, &table) {
            _ = P256.Signing.PrivateKey(compactRepresentable: false)
        } against: {
            _ = try SecureEnclave.P256.Signing.PrivateKey(compactRepresentable: false)
        }
        // What an item's key costs: an item read through the same enclave.
        let name = "key-ratio-\(UUID().uuidString)"
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: name, kSecValueData: Data("secret".utf8),
        ]
        guard SecItemAdd(item as CFDictionary, nil) == errSecSuccess else { throw CryptoKitError.incorrectKeySize }
        let query =
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: name, kSecReturnData: true,
            ] as [CFString: Any] as CFDictionary
        let symmetric = SymmetricKey(size: .bits256)
        let box = try AES.GCM.seal(Data(count: 32), using: symmetric)
        try measure("unwrap (an item's value)", rounds, &table) {
            _ = try AES.GCM.open(box, using: symmetric)
        } against: {
            var result: CFTypeRef?
            guard SecItemCopyMatching(query, &result) == errSecSuccess else { throw CryptoKitError.incorrectKeySize }
        }
        SecItemDelete(query)
        print(table.text)
    }

    private static func publicSecKey(_ point: Data) -> SecKey? {
        let attributes = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic]
        return SecKeyCreateWithData(point as CFData, attributes as CFDictionary, nil)
    }

    private static func measure(
        _ name: String,
        _ rounds: Int,
        _ table: inout Table,
        _ floor: () throws -> Void,
        against operation: () throws -> Void
    ) throws {
        try operation()
        var comparison = Comparison()
        let turns = Array(0..<runs)
        for _ in 0..<rounds {
            try comparison.round(
                floor: { try $0.measure(turns) { _ in try floor() } },
                operation: { try $0.measure(turns) { _ in try operation() } }
            )
        }
        table.append([
            name, comparison.floor.median.text(1), comparison.operation.median.text(1),
            comparison.operation.quantile(0.9).text(1), comparison.ratio.text(2),
            (comparison.operation.median - comparison.floor.median).text(1),
        ])
    }
}
