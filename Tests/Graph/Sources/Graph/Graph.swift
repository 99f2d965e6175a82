import AsyncHTTPClient
import Crypto
import Foundation
import LocalAuthentication
import NIOSSL
import Security
import SwiftASN1
import X509

/// Uses everything at once, and says so.
@main
struct Graph {
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    static func require(_ condition: Bool, _ what: String) throws {
        if !condition { throw Unexpected(what) }
    }

    static func main() async throws {
        let der = try certificate()
        try keychain(der)
        try await transport(der)
        print("all is well")
    }

    /// A certificate of swift-certificates, signed with a key of swift-crypto.
    static func certificate() throws -> [UInt8] {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key.publicKey),
            notValidBefore: .now - 60,
            notValidAfter: .now + 3600,
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                SubjectAlternativeNames([.dnsName("localhost")])
            },
            issuerPrivateKey: .init(key)
        )
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    /// The same certificate here, in the keychain and back.
    static func keychain(_ der: [UInt8]) throws {
        guard let certificate = SecCertificateCreateWithData(nil, Data(der) as CFData) else {
            throw Unexpected("a certificate of swift-certificates is none here")
        }
        try require(SecCertificateCopyData(certificate) as Data == Data(der), "the bytes differ")
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "certificate",
            kSecValueData: SecCertificateCopyData(certificate), kSecReturnData: true,
        ]
        var result: CFTypeRef?
        let status = SecItemAdd(item as CFDictionary, &result)
        try require(status == errSecSuccess && result as? Data == Data(der), "the keychain says \(status)")
        let again = try Certificate(derEncoded: Array(result as? Data ?? Data()))
        try require(again.subject == again.issuer, "what was stored differs")
        try require(!LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil), "somebody is asked")
    }

    /// TLS with that certificate as an anchor, and a client that would use it.
    static func transport(_ der: [UInt8]) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: der, format: .der)])
        _ = try NIOSSLContext(configuration: configuration)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: .init(tlsConfiguration: configuration)
        )
        try await client.shutdown()
    }
}
