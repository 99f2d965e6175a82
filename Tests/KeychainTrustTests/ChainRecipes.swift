import CertificateTestSupport
import Crypto
import Foundation
import SwiftASN1
import X509

/// How the files of the vectors are made. The keys are fixed and on Edwards' curve, whose signatures have no chance in
/// them (RFC 8032).
struct ChainRecipe {
    let vector: ChainVector
    private let constraints: NameConstraints?
    private let leafRequest: CertificateRequest

    /// 1 July 2026.
    static let date = Date(timeIntervalSinceReferenceDate: 804_556_800)

    private init(
        _ name: String,
        _ expectation: String,
        permitted: [String] = [],
        excluded: [String] = [],
        leaf: CertificateRequest,
        source: String = "RFC 5280, 4.2.1.10"
    ) {
        vector = ChainVector(name: name, host: "www.example.com", expectation: expectation, source: source)
        constraints =
            permitted.isEmpty && excluded.isEmpty
            ? nil : NameConstraints(permittedDNSDomains: permitted, excludedDNSDomains: excluded)
        leafRequest = leaf
    }

    static let all = [
        ChainRecipe("ed25519", "trusted", leaf: .server("www.example.com"), source: "RFC 8410"),
        ChainRecipe("excluded-host", "constraint", excluded: ["www.example.com"], leaf: .server("*.example.com")),
        ChainRecipe("excluded-other", "trusted", excluded: ["www.example.org"], leaf: .server("*.example.com")),
        ChainRecipe("excluded-below", "trusted", excluded: ["a.www.example.com"], leaf: .server("*.example.com")),
        ChainRecipe("excluded-dot", "constraint", excluded: ["www.example.com"], leaf: .server("www.example.com.")),
        ChainRecipe("permitted-host", "constraint", permitted: ["www.example.com"], leaf: .server("*.example.com")),
        ChainRecipe("permitted-domain", "trusted", permitted: ["example.com"], leaf: .server("*.example.com")),
        ChainRecipe(
            "opaque-name",
            "trusted",
            leaf: alternativeNames([0xA0, 0x02, 0xFF, 0xFF]),
            source: "RFC 5280, 4.2.1.6"
        ),
        ChainRecipe(
            "malformed-names",
            "hostNameMismatch",
            leaf: alternativeNames([0x82, 0x05]),
            source: "RFC 5280, 4.2.1.6"
        ),
    ]

    /// The name of the host, with other bytes behind it.
    private static func alternativeNames(_ others: [UInt8]) -> CertificateRequest {
        let content = [0x82, 0x0F] + Array("www.example.com".utf8) + others
        let value = [0x30, UInt8(content.count)] + content
        return .server.with {
            $0.names = []
            $0.others = [Certificate.Extension(oid: [2, 5, 29, 17], critical: false, value: value[...])]
        }
    }

    static func root() throws -> [UInt8] { try certificate("Root", key: 1, issuer: "Root", issuerKey: 1, .authority) }

    func intermediate() throws -> [UInt8] {
        let request = CertificateRequest.authority.with { $0.nameConstraints = constraints }
        return try Self.certificate("Intermediate", key: 2, issuer: "Root", issuerKey: 1, request)
    }

    func leaf() throws -> [UInt8] {
        try Self.certificate("Leaf", key: 3, issuer: "Intermediate", issuerKey: 2, leafRequest)
    }

    private static func certificate(
        _ name: String,
        key: UInt8,
        issuer: String,
        issuerKey: UInt8,
        _ request: CertificateRequest
    ) throws -> [UInt8] {
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(bytes: [key]),
            publicKey: Certificate.PublicKey(privateKey(key).publicKey),
            notValidBefore: date.addingTimeInterval(-180 * 86_400),
            notValidAfter: date.addingTimeInterval(180 * 86_400),
            issuer: TestAuthority.name(issuer),
            subject: TestAuthority.name(name),
            signatureAlgorithm: .ed25519,
            extensions: request.extensions(),
            issuerPrivateKey: Certificate.PrivateKey(privateKey(issuerKey))
        )
        return TestAuthority.der(of: certificate)
    }

    private static func privateKey(_ number: UInt8) throws -> Curve25519.Signing.PrivateKey {
        try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: number, count: 32))
    }
}
