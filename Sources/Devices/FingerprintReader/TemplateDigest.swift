import Crypto

/// fprintd's files about a user's fingers, as one number: SHA-256 over the files in the user's folder.
///
/// The names of fingers stay the same when a finger is deleted and another enrolled in its place, and fprintd tells no
/// more than names; the files differ. They are only root's to read.
package struct TemplateDigest: Sendable, Hashable {
    /// 32 bytes.
    package let bytes: [UInt8]
    /// The kinds of all prints.
    package let prints: Set<StoredPrint>

    /// Whether these prints cannot change without the digest. Where a print is kept by the reader, or nothing is known
    /// of it, they can, and nothing may be bound to the digest.
    package var coversPrints: Bool { prints.isSubset(of: [.minutiae, .driversOwn]) }

    /// Over the number of files, and of each its path below the user's folder and its contents, both with their
    /// lengths, as 64-bit numbers in big-endian order; in the order of the paths' bytes.
    init(_ files: [TemplateFile]) {
        var hash = SHA256()
        func add(_ number: Int) {
            hash.update(data: (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
        }
        hash.update(data: Array("chatelaine fingerprint templates 1\n".utf8))
        add(files.count)
        for file in files.sorted(by: { $0.path.lexicographicallyPrecedes($1.path) }) {
            add(file.path.count)
            hash.update(data: file.path)
            add(file.contents.count)
            hash.update(data: file.contents)
        }
        bytes = Array(hash.finalize())
        prints = Set(files.map { StoredPrint(file: $0.contents) })
    }
}

/// The state of a user's fingers in fprintd's folder.
package enum EnrolledTemplates: Sendable, Equatable {
    /// No finger is enrolled for the user.
    case none
    case digest(TemplateDigest)
    /// It could not be found out. Nothing may be concluded from that, least of all that fingers have changed.
    case unknown(Obstacle)

    package enum Obstacle: Error, Sendable, Equatable {
        /// No user has such a name.
        case unusableName
        /// fprintd's own folder is not there: it has never run, or what it lies on is not mounted.
        case noFolder
        /// With the errno. fprintd's folders are only root's to read.
        case unreadable(Int32)
        /// Something that fprintd puts nowhere: a link, a device, a socket.
        case unexpectedFile
        /// More, larger or deeper than fprintd's files are.
        case tooMuch
        /// Files have changed each time while they were read.
        case changing
    }

    /// fprintd's folder, unless its unit says otherwise (`StateDirectory=fprint`).
    package static let systemFolder = "/var/lib/fprint"

    /// Reads twice, and until both times are the same: a finger may be enrolled meanwhile.
    ///
    /// - Parameters:
    ///   - user: a user's name, which is one folder's.
    ///   - folder: trusted to be fprintd's; below it no link is followed.
    package static func read(of user: String, in folder: String = systemFolder) -> EnrolledTemplates {
        read(of: user, in: folder) {}
    }

    static func read(of user: String, in folder: String, betweenReadings: () -> Void) -> EnrolledTemplates {
        guard UserName.isUsable(user) else { return .unknown(.unusableName) }
        var before: TemplateReading?
        for _ in 0..<6 {
            do throws(Obstacle) {
                let now = try TemplateReading(of: user, in: folder)
                if now == before { return now.files.isEmpty ? .none : .digest(TemplateDigest(now.files)) }
                before = now
            } catch {
                guard error == .changing else { return .unknown(error) }
                before = nil
            }
            betweenReadings()
        }
        return .unknown(.changing)
    }
}
