import Crypto
package import Foundation
package import KeychainModel
import SwiftASN1

/// The private key of a team, with its certificate: what programs are signed with.
package struct TeamKey: Sendable {
    package let certificate: TeamCertificate
    private let key: P256.Signing.PrivateKey

    package var team: TeamIdentifier { certificate.team }

    /// A new key, and a certificate that it has signed itself.
    ///
    /// - Parameters:
    ///   - name: of the person or company, for people to read.
    ///   - days: for how long programs can be signed with it.
    package init(new team: TeamIdentifier, name: String? = nil, days: Int = 3650, now: Date = Date())
        throws(KeychainError)
    {
        key = P256.Signing.PrivateKey()
        // Clocks of other machines may be slow.
        let start = now - 3600
        guard days > 0, days <= 36_500 else {
            throw KeychainError(.invalidParameter, "a certificate is valid for 1 to 36500 days")
        }
        certificate = try TeamCertificate.new(
            team,
            name: name ?? "Team \(team)",
            key: key,
            validity: start...(now + Double(days) * 86_400)
        )
    }

    /// Reads what `pem` writes.
    package init(pem: String) throws(KeychainError) {
        certificate = try TeamCertificate(pem: pem)
        guard
            let document = try? PEMDocument.parseMultiple(pemString: pem).first(where: {
                $0.discriminator != "CERTIFICATE"
            }),
            let key = try? P256.Signing.PrivateKey(pemRepresentation: document.pemString)
        else { throw KeychainError(.invalidParameter, "there is no private key for P-256 in it") }
        guard certificate.isSignature(Self.sign([], with: key), of: []) else {
            throw KeychainError(.invalidParameter, "its private key is not the certificate's")
        }
        self.key = key
    }

    /// Private key (PKCS #8) and certificate, in one file.
    package var pem: String { key.pemRepresentation + "\n" + certificate.pem }

    func sign(_ message: [UInt8]) throws(KeychainError) -> [UInt8] {
        let signature = Self.sign(message, with: key)
        // A fault of the machine while signing can give a private key away.
        guard certificate.isSignature(signature, of: message) else {
            throw KeychainError(.internalError, "the signature could not be made")
        }
        return signature
    }

    private static func sign(_ message: [UInt8], with key: P256.Signing.PrivateKey) -> [UInt8] {
        (try? key.signature(for: message)).map { Array($0.rawRepresentation) } ?? []
    }
}
