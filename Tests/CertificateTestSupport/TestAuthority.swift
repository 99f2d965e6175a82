package import Crypto
package import Foundation
import SwiftASN1
package import X509

/// The holder of a key and of a certificate for it, who issues certificates to others.
package struct TestAuthority: Sendable {
    package let key: P256.Signing.PrivateKey
    package let certificate: Certificate

    package var name: DistinguishedName { certificate.subject }

    /// The certificate as DER bytes.
    package var der: [UInt8] { Self.der(of: certificate) }

    package static func der(of certificate: Certificate) -> [UInt8] {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(certificate)) != nil else { return [] }
        return serializer.serializedBytes
    }

    /// An authority that signed itself.
    package static func root(
        _ name: String,
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        _ request: CertificateRequest = .authority
    ) throws -> TestAuthority {
        let name = try Self.name(name)
        return TestAuthority(
            key: key,
            certificate: try request.certificate(for: name, key: key.publicKey, issuer: name, signedWith: key)
        )
    }

    /// A certificate of this authority's for somebody's key.
    package func issue(
        _ name: String,
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        _ request: CertificateRequest = .server
    ) throws -> TestAuthority {
        TestAuthority(
            key: key,
            certificate: try request.certificate(
                for: Self.name(name),
                key: key.publicKey,
                issuer: self.name,
                signedWith: self.key
            )
        )
    }

    /// The same for a key that is elsewhere, in DER.
    package func certificate(
        _ name: String,
        for key: P256.Signing.PublicKey,
        _ request: CertificateRequest = .server
    ) throws -> [UInt8] {
        let name = try Self.name(name)
        return Self.der(of: try request.certificate(for: name, key: key, issuer: self.name, signedWith: self.key))
    }

    package static func name(_ commonName: String) throws -> DistinguishedName {
        try DistinguishedName { CommonName(commonName) }
    }
}

/// What a certificate is to say.
package struct CertificateRequest: Sendable {
    package var version = Certificate.Version.v3
    /// Relative to now, in seconds.
    package var validity: ClosedRange<TimeInterval> = -3600...86_400
    package var basicConstraints: BasicConstraints?
    package var keyUsage: KeyUsage?
    package var extendedKeyUsages: [ExtendedKeyUsage.Usage]?
    package var names: [GeneralName] = []
    package var nameConstraints: NameConstraints?
    package var others: [Certificate.Extension] = []

    package init() {}

    /// One that may issue others.
    package static var authority: CertificateRequest {
        var request = CertificateRequest()
        request.basicConstraints = .isCertificateAuthority(maxPathLength: nil)
        return request
    }

    /// A TLS server's.
    package static var server: CertificateRequest { server("server.example") }

    package static func server(_ names: String...) -> CertificateRequest {
        var request = CertificateRequest()
        request.extendedKeyUsages = [.serverAuth]
        request.names = names.map { .dnsName($0) }
        return request
    }

    /// The same, changed.
    package func with(_ change: (inout CertificateRequest) -> Void) -> CertificateRequest {
        var request = self
        change(&request)
        return request
    }

    func certificate(
        for subject: DistinguishedName,
        key: P256.Signing.PublicKey,
        issuer: DistinguishedName,
        signedWith issuerKey: P256.Signing.PrivateKey
    ) throws -> Certificate {
        try Certificate(
            version: version,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key),
            notValidBefore: Date(timeIntervalSinceNow: validity.lowerBound),
            notValidAfter: Date(timeIntervalSinceNow: validity.upperBound),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions(),
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
    }

    package func extensions() throws -> Certificate.Extensions {
        var list: [Certificate.Extension] = []
        if let basicConstraints { list.append(try Certificate.Extension(basicConstraints, critical: true)) }
        if let keyUsage { list.append(try Certificate.Extension(keyUsage, critical: true)) }
        if let extendedKeyUsages {
            list.append(try Certificate.Extension(ExtendedKeyUsage(extendedKeyUsages), critical: false))
        }
        if !names.isEmpty { list.append(try Certificate.Extension(SubjectAlternativeNames(names), critical: false)) }
        if let nameConstraints { list.append(try Certificate.Extension(nameConstraints, critical: true)) }
        return try Certificate.Extensions(list + others)
    }
}
