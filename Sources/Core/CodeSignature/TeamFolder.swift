import Foundation
import Glibc
import KeychainModel
import KeychainSystem

/// The folder of trusted teams as it was at a moment.
package struct TeamFolder: Sendable {
    /// A file of the folder.
    package struct Entry: Sendable, Equatable {
        package enum State: Sendable, Equatable {
            case trusted(TeamCertificate)
            case revoked
            /// The file says nothing that can be believed: the sentence says why.
            case unusable(String)
        }

        package let file: String
        /// Whose it is, by its name.
        package let team: TeamIdentifier?
        package let state: State
    }

    package let entries: [Entry]
    private let path: String
    private let folderStamp: FileStamp?
    private let fileStamps: [String: FileStamp]
    private let isSettled: Bool

    private static let trustedSuffix = ".pem"
    private static let revokedSuffix = ".revoked.pem"
    private static let most = 4096
    /// In bytes.
    private static let largestFile: UInt64 = 64 << 10

    /// - Throws: `notAvailable` where others than its owner may write to the folder, or to one above it.
    init(reading path: String, owner: TrustedTeams.Owner) throws(KeychainError) {
        self.path = path
        let now = FileTime.now
        guard let stamp = try FileStamp.of(path: path) else {
            entries = []
            folderStamp = nil
            fileStamps = [:]
            isSettled = true
            return
        }
        guard stamp.isFolder else { throw KeychainError(.notAvailable, "\(path) is no folder; links are not followed") }
        try Place.check(path, isTrusted: owner.isTrusted)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw KeychainError(.noPermission, "\(path) cannot be listed")
        }
        let files = names.filter { $0.hasSuffix(Self.trustedSuffix) && !$0.hasPrefix(".") }.sorted()
        guard files.count <= Self.most else { throw KeychainError(.notAvailable, "\(path) has too many files") }
        var entries: [Entry] = []
        var stamps: [String: FileStamp] = [:]
        for file in files {
            stamps[file] = try FileStamp.of(path: path + "/" + file)
            entries.append(Self.entry(file, in: path, owner: owner))
        }
        self.entries = entries
        folderStamp = stamp
        fileStamps = stamps
        isSettled = ([stamp] + stamps.values).allSatisfy { $0.changed.isSettled(at: now) }
    }

    /// Whether the folder still says the same. One that was changed just before it was read may have been changed again
    /// without another stamp.
    func isCurrent() throws(KeychainError) -> Bool {
        guard isSettled, try FileStamp.of(path: path) == folderStamp else { return false }
        for (file, stamp) in fileStamps where try FileStamp.of(path: path + "/" + file) != stamp { return false }
        return true
    }

    func standing(of team: TeamIdentifier) -> TrustedTeams.Standing {
        let own = entries.filter { $0.team == team }
        if own.contains(where: { $0.state == .revoked }) { return .revoked }
        for entry in own {
            if case .trusted(let certificate) = entry.state { return .trusted(certificate) }
        }
        return .unknown
    }

    private static func entry(_ file: String, in path: String, owner: TrustedTeams.Owner) -> Entry {
        // By the name alone: a revocation must not depend on what can be read.
        if file.hasSuffix(revokedSuffix) {
            let team = TeamIdentifier(String(file.dropLast(revokedSuffix.count)))
            return Entry(file: file, team: team, state: team == nil ? .unusable("its name is no team's") : .revoked)
        }
        let team = TeamIdentifier(String(file.dropLast(trustedSuffix.count)))
        do throws(KeychainError) {
            guard let team else { throw KeychainError(.invalidParameter, "its name is no team's") }
            let certificate = try TeamCertificate(pem: read(path + "/" + file, owner: owner))
            // So no second certificate can speak for a team.
            guard certificate.team == team else {
                throw KeychainError(.invalidParameter, "its certificate is another team's: \(certificate.team)")
            }
            return Entry(file: file, team: team, state: .trusted(certificate))
        } catch {
            return Entry(file: file, team: team, state: .unusable(error.message))
        }
    }

    private static func read(_ path: String, owner: TrustedTeams.Owner) throws(KeychainError) -> String {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            throw error.code == ELOOP
                ? KeychainError(.notAvailable, "it is a link") : KeychainError(error, "it cannot be opened")
        }
        defer { withExtendedLifetime(file) {} }
        let stamp = try FileStamp.of(file.number)
        guard stamp.isFile, stamp.size <= largestFile else {
            throw KeychainError(.notAvailable, "it is no certificate")
        }
        guard owner.isTrusted(stamp.owner), !stamp.isWritableToOthers else {
            throw KeychainError(.notAvailable, "others than root can write to it")
        }
        var text: [UInt8] = []
        try unsafe FileParts.read(file.number, 0..<stamp.size) { part in unsafe text.append(contentsOf: part) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension TeamFolder {
    /// Creates the folder, and those above it, where they are not there.
    static func create(_ path: String) throws(KeychainError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755]
            )
        } catch {
            throw KeychainError(.noPermission, "\(path) cannot be created; administrators may")
        }
    }

    static func add(_ certificate: TeamCertificate, to path: String) throws(KeychainError) {
        let file = path + "/\(certificate.team)" + trustedSuffix
        // A link in the place of the file is not followed, and no file is overwritten.
        try KeychainError.translating {
            let replacement = try NewFile(beside: file, mode: 0o644)
            try replacement.write(Array(certificate.pem.utf8))
            try replacement.commitAsNew()
        }
    }

    static func revoke(_ team: TeamIdentifier, in path: String) throws(KeychainError) {
        let file = path + "/\(team)"
        guard unsafe rename(file + trustedSuffix, file + revokedSuffix) == 0 else {
            throw KeychainError(errno: errno, "team \(team) cannot be revoked; administrators may")
        }
        try KeychainError.translating { try Folder.synchronize(of: file) }
    }
}
