package import KeychainModel
import KeychainTrailer

/// Says what the signatures of programs are worth.
package struct SignatureVerifier: Sendable {
    private let teams: TrustedTeams

    package init(teams: TrustedTeams) {
        self.teams = teams
    }

    /// Reads a program once, whole, and judges its signature.
    ///
    /// - Parameter descriptor: of a regular file, readable; its position stays.
    /// - Throws: `authenticationFailed` where the file changes meanwhile, `dataTooLarge` for more than 1 GiB; otherwise
    ///   where program or teams cannot be read. A bad signature is a verdict and not an error.
    package func verdict(of descriptor: Int32) throws(KeychainError) -> SignatureVerdict {
        try verdict(on: ProgramMeasurement(of: descriptor))
    }

    /// - Throws: `invalidParameter` for what is no ELF executable, and as `verdict(of:)` does.
    package func verdict(ofProgramAt path: String) throws(KeychainError) -> SignatureVerdict {
        try OpenProgram.with(path) { program throws(KeychainError) in try verdict(of: program.descriptor) }
    }

    func verdict(on program: ProgramMeasurement) throws(KeychainError) -> SignatureVerdict {
        switch program.ending {
        case .none: return .unsigned(program.digest)
        case .faulty(let fault): return .tampered(.malformed(fault))
        case .trailer(let trailer): return try verdict(on: program, signedBy: trailer)
        }
    }

    /// From the cheapest question to the most dangerous one: what an attacker wrote is parsed only once a trusted team has
    /// signed it.
    private func verdict(
        on program: ProgramMeasurement,
        signedBy trailer: ProgramTrailer
    ) throws(KeychainError) -> SignatureVerdict {
        guard !program.isSignedTwice else { return .tampered(.signedTwice) }
        guard trailer.digest == program.programDigest else { return .tampered(.otherContents) }
        guard let team = TeamIdentifier(trailer.team) else { return .tampered(.malformed(.team)) }
        let certificate: TeamCertificate
        switch try standing(of: team, certificate: trailer.certificate) {
        case .success(let trusted): certificate = trusted
        case .failure(let reason): return .tampered(reason)
        }
        guard certificate.isSignature(trailer.signature, of: trailer.signedMessage) else { return .tampered(.forged) }
        do throws(KeychainError) {
            let (identifier, groups) = try SignedEntitlements.read(trailer.entitlements, of: team)
            return .signed(
                VerifiedSignature(team: team, identifier: identifier, groups: groups, digest: program.digest)
            )
        } catch {
            return .tampered(.entitlements(error))
        }
    }

    /// Whether a verdict of before still holds: teams may have been revoked since.
    func verdict(
        on signature: VerifiedSignature,
        signedBy trailer: ProgramTrailer
    ) throws(KeychainError) -> SignatureVerdict {
        switch try standing(of: signature.team, certificate: trailer.certificate) {
        case .success: .signed(signature)
        case .failure(let reason): .tampered(reason)
        }
    }

    private func standing(
        of team: TeamIdentifier,
        certificate: [UInt8]
    ) throws(KeychainError) -> Result<TeamCertificate, TamperReason> {
        switch try teams.standing(of: team) {
        case .unknown: .failure(.unknownTeam(team))
        case .revoked: .failure(.revokedTeam(team))
        case .trusted(let trusted): trusted.der == certificate ? .success(trusted) : .failure(.otherCertificate(team))
        }
    }
}
