import Glibc
package import KeychainSync
import KeychainSystem

/// A transport that is a folder, which Syncthing, NFS or a USB stick carries.
///
/// A blob is a file, and gets its name when it is whole. Other names are left alone: the copies that Syncthing makes of
/// conflicts, its temporary files, and whatever else is there. Links are not followed: they
/// could lead this process to other files of its user.
package struct FolderTransport: SyncTransport {
    /// Of each kind no more names are listed: a circle has at most as many entries.
    package static let mostNames = 20_000
    private static let places = ["chatelaine", "1"]

    package let path: String

    /// - Parameter path: of a folder that is there. It may be a link.
    package init(path: String) {
        self.path = path
    }

    // MARK: - The functions of a transport

    package func circles() throws(SyncTransportFailure) -> [CircleID] {
        try translating { () throws(SystemError) in
            guard let folder = try open(Self.places) else { return [] }
            return try names(in: folder).compactMap { SyncHash(text: $0) }
        }
    }

    package func list(_ kind: BlobName.Kind, in circle: CircleID) throws(SyncTransportFailure) -> [BlobName] {
        try translating { () throws(SystemError) in
            guard let folder = try open(Self.places + [circle.text, kind.rawValue]) else { return [] }
            let names = try names(in: folder)
            switch kind {
            case .entry, .head: return names.compactMap { BlobName("\(kind.rawValue)/\($0)") }
            case .segment, .join:
                var found: [BlobName] = []
                for name in names where SyncName(text: name) != nil {
                    // One that cannot be opened does not keep the others away.
                    guard found.count < Self.mostNames, let inner = try? open([name], in: folder),
                        let files = try? self.names(in: inner)
                    else { continue }
                    found += files.compactMap { BlobName("\(kind.rawValue)/\(name)/\($0)") }
                }
                return found
            }
        }
    }

    package func read(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) -> [UInt8]? {
        try translating { () throws(SystemError) in
            let parts = name.parts
            guard let folder = try open(places(of: parts.folder, circle)) else { return nil }
            return try contents(of: parts.file, in: folder, atMost: name.largest)
        }
    }

    package func write(
        _ bytes: [UInt8],
        as name: BlobName,
        in circle: CircleID
    ) throws(SyncTransportFailure) {
        try translating { () throws(SystemError) in
            let parts = name.parts
            let folder = try make(places(of: parts.folder, circle))
            // A file that is written again is sent again.
            if try contents(of: parts.file, in: folder, atMost: bytes.count) == bytes { return }
            // By a name that no reader takes. A file without a name would need a change of its mode, which FAT refuses.
            let place = "/proc/self/fd/\(folder.number)/\(parts.file)"
            let file = try NewFile(beside: place, mode: 0o600, isNamed: true)
            try file.write(bytes)
            try file.commit(replacing: true)
            withExtendedLifetime(folder) {}
        }
    }

    package func remove(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try translating { () throws(SystemError) in
            let parts = name.parts
            guard let folder = try open(places(of: parts.folder, circle)) else { return }
            let result = folder.withNumber { unsafe unlinkat($0, parts.file, 0) }
            guard result == 0 || errno == ENOENT else { throw SystemError("\(name.text) cannot be removed") }
        }
    }

    // MARK: - Folders

    private func places(of folder: String, _ circle: CircleID) -> [String] {
        Self.places + [circle.text] + folder.split(separator: "/").map(String.init)
    }

    private func root() throws(SystemError) -> Descriptor { try Descriptor(opening: path, O_RDONLY | O_DIRECTORY) }

    /// Opens a folder, from name to name.
    ///
    /// - Returns: nil where it is not there, or is something else.
    func open(_ names: [String], in start: Descriptor? = nil) throws(SystemError) -> Descriptor? {
        var folder = if let start { start } else { try root() }
        for name in names {
            guard let next = try Self.open(name, O_DIRECTORY, in: folder) else { return nil }
            folder = next
        }
        return folder
    }

    private func make(_ names: [String]) throws(SystemError) -> Descriptor {
        var folder = try root()
        for name in names {
            let isMade = folder.withNumber { unsafe mkdirat($0, name, 0o700) == 0 }
            guard isMade || errno == EEXIST else { throw SystemError("a folder cannot be made in \(path)") }
            // Its name outlives a power cut with what is in it.
            if isMade { try folder.synchronize() }
            guard let next = try Self.open(name, O_DIRECTORY, in: folder) else {
                throw SystemError.refusal(
                    ENOTDIR,
                    "\(name) in \(path) is no folder: remove it, or choose another folder"
                )
            }
            folder = next
        }
        return folder
    }

    /// - Returns: nil where nothing is called so, and for what would lead elsewhere or keep this process waiting.
    private static func open(_ name: String, _ flags: Int32, in folder: Descriptor) throws(SystemError) -> Descriptor? {
        do {
            return try Descriptor(opening: name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags, in: folder)
        } catch {
            switch error.code {
            case ENOENT, ELOOP, ENOTDIR, ENXIO: return nil
            default: throw error
            }
        }
    }

    private func names(in folder: Descriptor) throws(SystemError) -> [String] {
        try Folder.names(in: folder, atMost: Self.mostNames).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Returns: nil for what is not there, is longer, or is no file.
    private func contents(of name: String, in folder: Descriptor, atMost most: Int) throws(SystemError) -> [UInt8]? {
        guard let file = try Self.open(name, 0, in: folder), try file.stamp().isFile else { return nil }
        let bytes = try file.prefix(most + 1)
        return bytes.count <= most ? bytes : nil
    }

    // MARK: - Failures

    private func translating<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(SyncTransportFailure) -> Value {
        do {
            return try body()
        } catch {
            switch error.code {
            case ENOENT, ENODEV, EIO, ESTALE, ENOTCONN, EHOSTDOWN, ETIMEDOUT:
                throw SyncTransportFailure(.unreachable, "\(path) cannot be reached: \(error.reason)")
            case ENOSPC, EDQUOT, EFBIG: throw SyncTransportFailure(.full, "\(path) is full: \(error.reason)")
            default: throw SyncTransportFailure(.other, error.isRefusal ? error.description : "\(path): \(error)")
            }
        }
    }
}
