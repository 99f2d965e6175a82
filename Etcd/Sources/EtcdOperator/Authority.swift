import Crypto
import EtcdTransport
import FoundationEssentials
import SwiftASN1
import X509

/// The certificate authority of a cluster, in a folder of the operator's.
package struct Authority: Sendable {
    private let certificate: Certificate
    private let key: P256.Signing.PrivateKey

    /// The name that the certificates of all nodes have, besides their addresses.
    package static let serverName = "nodes.chatelaine-etcd.invalid"
    private static let years = (authority: 30, others: 10)

    // MARK: - The authority itself

    /// A new one.
    ///
    /// - Parameter purpose: a word in its name, which tells one authority from another.
    package static func make(_ purpose: String = "devices") throws -> Authority {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("chatelaine etcd authority of \(purpose) \(random(4))") }
        let certificate = try Self.certificate(
            for: key.publicKey,
            name,
            years: years.authority,
            issuer: (name, key)
        ) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        }
        return Authority(certificate: certificate, key: key)
    }

    package init(certificate: String, key: String) throws {
        self.init(
            certificate: try Certificate(pemEncoded: certificate),
            key: try P256.Signing.PrivateKey(pemRepresentation: key)
        )
    }

    private init(certificate: Certificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    package var pem: (certificate: String, key: String) {
        get throws { (try certificate.serializeAsPEM().pemString + "\n", key.pemRepresentation + "\n") }
    }

    // MARK: - What it vouches for

    /// A certificate of a node.
    ///
    /// - Parameters:
    ///   - hosts: names and addresses that it is reached by.
    ///   - isPeer: whether it is for other nodes, to which it connects as well, and not for devices.
    package func node(_ name: String, hosts: [String], isPeer: Bool) throws -> (certificate: String, key: String) {
        try issue(name) {
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage(isPeer ? [.serverAuth, .clientAuth] : [.serverAuth])
            SubjectAlternativeNames(try hosts.map(Self.name) + [.dnsName(Self.serverName)])
        }
    }

    /// What a device or an operator proves who it is with, in one file.
    ///
    /// - Parameter user: as the cluster knows it.
    package func credentials(of user: String) throws -> String {
        let (certificate, key) = try issue(user) {
            Critical(KeyUsage(digitalSignature: true))
            // None that a device could act a node out with.
            try ExtendedKeyUsage([.clientAuth])
        }
        return certificate + (try pem.certificate) + key
    }

    private func issue(
        _ name: String,
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> (certificate: String, key: String) {
        let new = P256.Signing.PrivateKey()
        let certificate = try Self.certificate(
            for: new.publicKey,
            try DistinguishedName { CommonName(name) },
            years: Self.years.others,
            issuer: (certificate.subject, key),
            extensions
        )
        return (try certificate.serializeAsPEM().pemString + "\n", new.pemRepresentation + "\n")
    }

    private static func certificate(
        for key: P256.Signing.PublicKey,
        _ subject: DistinguishedName,
        years: Int,
        issuer: (name: DistinguishedName, key: P256.Signing.PrivateKey),
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> Certificate {
        // Clocks differ.
        let begin = Date.now.addingTimeInterval(-3_600)
        return try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key),
            notValidBefore: begin,
            notValidAfter: begin.addingTimeInterval(Double(years) * 365.25 * 86_400),
            issuer: issuer.name,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(builder: extensions),
            issuerPrivateKey: Certificate.PrivateKey(issuer.key)
        )
    }

    private static func name(_ host: String) throws -> GeneralName {
        guard EtcdAddress.isNumeric(host) else { return .dnsName(host) }
        return .ipAddress(ASN1OctetString(contentBytes: try Addresses.bytes(of: host)[...]))
    }

    /// Digits for what nobody is to guess or to have twice.
    package static func random(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in
            let byte = UInt8.random(in: 0...255, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
