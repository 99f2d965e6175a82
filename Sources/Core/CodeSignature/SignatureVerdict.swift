package import KeychainModel
package import KeychainTrailer

/// What a program's signature is worth.
package enum SignatureVerdict: Sendable, Equatable {
    /// The file has no signature.
    case unsigned(ProgramDigest)
    /// A trusted team has signed the file as it is.
    case signed(VerifiedSignature)
    /// The file has a signature that is worth nothing. It is not to be taken for an unsigned program, which would store
    /// its items elsewhere.
    case tampered(TamperReason)
}

/// A signature by a trusted team, of a file that is as it was when it was signed. Only `SignatureVerifier` makes it.
package struct VerifiedSignature: Sendable, Equatable {
    package let team: TeamIdentifier
    /// Its `application-identifier`.
    package let identifier: String
    /// The access groups that its entitlements give it, in Apple's order. Each begins with the team's prefix.
    package let groups: [String]
    /// The signature included.
    package let digest: ProgramDigest

    init(team: TeamIdentifier, identifier: String, groups: [String], digest: ProgramDigest) {
        self.team = team
        self.identifier = identifier
        self.groups = groups
        self.digest = digest
    }
}

/// Why a signature is worth nothing.
package enum TamperReason: Error, Sendable, Equatable {
    case malformed(ProgramTrailer.Fault)
    /// There is a signature under the signature.
    case signedTwice
    /// The program is another than the one that was signed.
    case otherContents
    case unknownTeam(TeamIdentifier)
    case revokedTeam(TeamIdentifier)
    /// The team's certificate is another than the one that is trusted.
    case otherCertificate(TeamIdentifier)
    /// The signature is not the team's.
    case forged
    /// The team has signed entitlements that it cannot give.
    case entitlements(KeychainError)

    /// For an administrator: what is wrong and, where there is something, what to do.
    package var message: String {
        switch self {
        case .malformed(.otherVersion): "its signature is of a version that is not known here"
        case .malformed: "its signature is damaged; sign the program again"
        case .signedTwice: "it has a signature under its signature; sign the program again"
        case .otherContents: "the program is another than the one that was signed; sign it again"
        case .unknownTeam(let team): "it is signed by team \(team), which is not trusted here"
        case .revokedTeam(let team): "it is signed by team \(team), which was revoked"
        case .otherCertificate(let team):
            "it is signed with another certificate than the one of team \(team) that is trusted"
        case .forged: "its signature was not made with the team's key"
        case .entitlements(let error): error.message
        }
    }
}
