import Crypto
package import Foundation
package import KeychainModel
import SwiftASN1

@_implementationOnly import X509

/// A team's certificate, as far as signatures of programs are concerned.
///
/// It is trusted because it lies in the folder of trusted teams, and for nothing that stands in it. So nobody else's
/// certificate is ever parsed: a trailer's is compared with the one that lies there.
package struct TeamCertificate: Sendable, Equatable {
    package let der: [UInt8]
    package let team: TeamIdentifier
    /// The common name, for people to read.
    package let name: String
    package let validity: ClosedRange<Date>
    /// In the X9.63 form.
    private let publicKey: [UInt8]

    /// - Throws: `invalidParameter` for what is no certificate of a team: the message says why.
    package init(der: [UInt8]) throws(KeychainError) {
        guard let certificate = try? Certificate(derEncoded: der) else {
            throw KeychainError(.invalidParameter, "it is no certificate")
        }
        guard let key = P256.Signing.PublicKey(certificate.publicKey) else {
            throw KeychainError(.invalidParameter, "the certificate has a key of another kind than P-256")
        }
        let units = certificate.subject.texts(of: .RDNAttributeType.organizationalUnitName)
        guard let unit = units.first, units.count == 1, let team = TeamIdentifier(unit) else {
            throw KeychainError(
                .invalidParameter,
                "the certificate names no team: its organizational unit has to be the team's identifier, of capital"
                    + " letters and digits"
            )
        }
        guard certificate.notValidBefore <= certificate.notValidAfter else {
            throw KeychainError(.invalidParameter, "the certificate is never valid")
        }
        try Self.checkPurpose(of: certificate)
        self.der = der
        self.team = team
        name = certificate.subject.texts(of: .RDNAttributeType.commonName).first ?? team.description
        validity = certificate.notValidBefore...certificate.notValidAfter
        publicKey = Array(key.x963Representation)
    }

    private static func checkPurpose(of certificate: Certificate) throws(KeychainError) {
        do {
            if case .isCertificateAuthority = try certificate.extensions.basicConstraints {
                throw KeychainError(.invalidParameter, "the certificate is an authority's, which signs no programs")
            }
            guard try certificate.extensions.keyUsage?.digitalSignature == true,
                try certificate.extensions.extendedKeyUsage?.contains(.codeSigning) == true
            else {
                throw KeychainError(.invalidParameter, "the certificate is for other purposes than signing programs")
            }
        } catch let error as KeychainError {
            throw error
        } catch {
            throw KeychainError(.invalidParameter, "the certificate has extensions that cannot be read")
        }
    }

    /// Reads the one certificate of a PEM file; private keys beside it are passed over.
    package init(pem: String) throws(KeychainError) {
        let certificates = ((try? PEMDocument.parseMultiple(pemString: pem)) ?? [])
            .filter { $0.discriminator == "CERTIFICATE" }
        guard let only = certificates.first else {
            throw KeychainError(.invalidParameter, "there is no certificate in it")
        }
        guard certificates.count == 1 else {
            throw KeychainError(.invalidParameter, "there is more than one certificate in it")
        }
        try self.init(der: only.derBytes)
    }

    package var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString + "\n" }

    /// SHA-256 of the certificate, in hexadecimal.
    package var fingerprint: String { hexadecimal(Array(SHA256.hash(data: der))) }

    /// Expiry counts when a program is signed and when a team is trusted. Programs that are out there go on until the team
    /// is revoked: otherwise they would lose their items on a date.
    ///
    /// - Throws: `notAvailable` outside of the certificate's validity.
    package func checkValidity(at date: Date = Date()) throws(KeychainError) {
        if date < validity.lowerBound {
            throw KeychainError(.notAvailable, "the certificate of team \(team) is not valid yet")
        }
        if date > validity.upperBound {
            throw KeychainError(.notAvailable, "the certificate of team \(team) has expired")
        }
    }

    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: publicKey),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }

    /// A certificate that a team makes for its own key, with what Apple's for developers say of it.
    static func new(
        _ team: TeamIdentifier,
        name: String,
        key: P256.Signing.PrivateKey,
        validity: ClosedRange<Date>
    ) throws(KeychainError) -> TeamCertificate {
        var serializer = DER.Serializer()
        do {
            let subject = try DistinguishedName {
                CommonName("\(name) (\(team))")
                OrganizationalUnitName(team.description)
                OrganizationName(name)
            }
            let certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: validity.lowerBound,
                notValidAfter: validity.upperBound,
                issuer: subject,
                subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    Critical(try ExtendedKeyUsage([.codeSigning]))
                },
                issuerPrivateKey: Certificate.PrivateKey(key)
            )
            try serializer.serialize(certificate)
        } catch {
            throw KeychainError(.invalidParameter, "no certificate can be made of the name \"\(name)\"")
        }
        return try TeamCertificate(der: serializer.serializedBytes)
    }
}

extension DistinguishedName {
    fileprivate func texts(of type: ASN1ObjectIdentifier) -> [String] {
        flatMap { $0.filter { $0.type == type }.compactMap { String($0.value) } }
    }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}
