import Foundation
package import KeychainModel
import Synchronization

/// The teams that an administrator trusts: a folder with a certificate for each (docs/formats/signature.md).
///
/// What it says is read anew whenever the folder or a file in it has changed.
package final class TrustedTeams: Sendable {
    /// What the administrator thinks of a team.
    package enum Standing: Sendable, Equatable {
        case unknown
        case trusted(TeamCertificate)
        case revoked
    }

    /// Whose word counts: who may own folder and files.
    package enum Owner: Sendable {
        case root
        /// In session mode, where users may read all of their own files.
        case rootOrOneself

        func isTrusted(_ uid: UInt32) -> Bool {
            switch self {
            case .root: uid == 0
            case .rootOrOneself: uid == 0 || uid == geteuid()
            }
        }
    }

    package static let standardDirectory = "/etc/chatelaine/teams"

    package let directory: String
    private let owner: Owner
    private let snapshot = Mutex<TeamFolder?>(nil)

    /// - Parameter directory: which need not exist; then no team is trusted.
    package init(directory: String = standardDirectory, owner: Owner = .root) {
        self.directory = directory
        self.owner = owner
    }

    /// - Throws: `notAvailable` where the folder could have been written by others.
    package func standing(of team: TeamIdentifier) throws(KeychainError) -> Standing {
        try folder().standing(of: team)
    }

    /// Every file of the folder, in order: what it says, or what is wrong with it.
    package func list() throws(KeychainError) -> [TeamFolder.Entry] {
        try folder().entries
    }

    private func folder() throws(KeychainError) -> TeamFolder {
        // A folder that is only on its way to being trusted must not be taken for the old one, nor read by two at once.
        try snapshot.withLock { snapshot throws(KeychainError) in
            if let known = snapshot, try known.isCurrent() { return known }
            snapshot = nil
            let read = try TeamFolder(reading: directory, owner: owner)
            snapshot = read
            return read
        }
    }

    /// Trusts a team from now on. To trust the same certificate twice changes nothing.
    ///
    /// - Throws: `notAvailable` for a certificate that has expired; `duplicateItem` where the team has another
    ///   certificate, `noPermission` where it was revoked.
    package func add(_ certificate: TeamCertificate) throws(KeychainError) {
        try certificate.checkValidity()
        try TeamFolder.create(directory)
        switch try standing(of: certificate.team) {
        case .trusted(certificate): return
        case .trusted:
            throw KeychainError(.duplicateItem, "team \(certificate.team) is trusted with another certificate already")
        case .revoked:
            throw KeychainError(
                .noPermission,
                "team \(certificate.team) was revoked; who trusts it again removes \(directory)/\(certificate.team).revoked.pem first"
            )
        case .unknown: break
        }
        try TeamFolder.add(certificate, to: directory)
    }

    /// Ends the trust in a team: its programs are refused from their next connection on.
    ///
    /// - Throws: `itemNotFound` where it is not trusted.
    package func revoke(_ team: TeamIdentifier) throws(KeychainError) {
        guard case .trusted = try standing(of: team) else {
            throw KeychainError(.itemNotFound, "team \(team) is not trusted, so there is nothing to revoke")
        }
        try TeamFolder.revoke(team, in: directory)
    }
}
