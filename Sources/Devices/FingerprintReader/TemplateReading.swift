import Glibc
import KeychainSystem

/// A file of fprintd's: its path below the user's folder, and what is in it.
struct TemplateFile: Equatable {
    let path: [UInt8]
    let contents: [UInt8]
}

/// One look at all of a user's files.
struct TemplateReading: Equatable {
    private(set) var files: [TemplateFile] = []
    /// Which files and folders these were, and since when they have been so: changes that undo each other show here.
    private var stamps: [FileStamp] = []
    private var entries = 0
    private var size = 0

    /// fprintd keeps a file per finger, reader and driver, of some kilobytes: `DRIVER/DEVICE/FINGER`.
    private static let deepest = 4
    private static let mostEntries = 256
    private static let largestFile = 1 << 20
    private static let largestSum = 4 << 20

    init(of user: String, in folder: String) throws(EnrolledTemplates.Obstacle) {
        let base: Descriptor
        do throws(SystemError) {
            base = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
        } catch {
            throw error.code == ENOENT ? .noFolder : .unreadable(error.code)
        }
        let own: Descriptor
        do throws(SystemError) {
            own = try Descriptor(opening: user, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: base)
        } catch {
            if error.code == ENOENT { return }
            throw error.code == ELOOP || error.code == ENOTDIR ? .unexpectedFile : .unreadable(error.code)
        }
        try read(folder: own, path: [], depth: 1)
    }

    private mutating func read(folder: Descriptor, path: [UInt8], depth: Int) throws(EnrolledTemplates.Obstacle) {
        guard depth <= Self.deepest else { throw .tooMuch }
        stamps.append(try Self.stamp(of: folder))
        for name in try Self.names(in: folder, most: Self.mostEntries - entries) {
            entries += 1
            let path = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            try read(entry: name.map { CChar(bitPattern: $0) } + [0], of: folder, path: path, depth: depth)
        }
    }

    private mutating func read(
        entry name: [CChar],
        of folder: Descriptor,
        path: [UInt8],
        depth: Int
    ) throws(EnrolledTemplates.Obstacle) {
        // Merely opening a device can act on it.
        var found = stat()
        guard unsafe fstatat(folder.number, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else { throw Self.unreadable() }
        let isFolder = found.st_mode & S_IFMT == S_IFDIR
        guard isFolder || found.st_mode & S_IFMT == S_IFREG else { throw .unexpectedFile }
        let kind = isFolder ? O_DIRECTORY : O_NONBLOCK
        let descriptor: Descriptor
        do throws(SystemError) {
            let flags = O_RDONLY | O_NOFOLLOW | O_NOCTTY | kind
            descriptor = try Descriptor(opening: name, flags, in: folder)
        } catch {
            throw Self.unreadable(error.code)
        }
        if isFolder { return try read(folder: descriptor, path: path, depth: depth + 1) }
        let stamp = try Self.stamp(of: descriptor)
        guard stamp.isFile else { throw .unexpectedFile }
        let contents = try Self.contents(of: descriptor, most: min(Self.largestFile, Self.largestSum - size))
        size += contents.count
        stamps.append(stamp)
        files.append(TemplateFile(path: path, contents: contents))
    }

    private static func stamp(of descriptor: Descriptor) throws(EnrolledTemplates.Obstacle) -> FileStamp {
        do throws(SystemError) { return try descriptor.stamp() } catch { throw unreadable(error.code) }
    }

    /// What stood there a moment ago may be gone: then the next look is at something else, and this one counts for
    /// nothing.
    private static func unreadable(_ code: Int32 = errno) -> EnrolledTemplates.Obstacle {
        switch code {
        case ENOENT: .changing
        case ELOOP, ENOTDIR: .unexpectedFile
        default: .unreadable(code)
        }
    }

    /// In the order of their bytes.
    private static func names(in folder: Descriptor, most: Int) throws(EnrolledTemplates.Obstacle) -> [[UInt8]] {
        let names: [[UInt8]]
        do throws(SystemError) {
            names = try Folder.names(in: folder, atMost: most + 1)
        } catch {
            throw unreadable(error.code)
        }
        guard names.count <= most else { throw .tooMuch }
        return names
    }

    private static func contents(of descriptor: Descriptor, most: Int) throws(EnrolledTemplates.Obstacle) -> [UInt8] {
        do throws(SystemError) {
            return try descriptor.contents(atMost: most)
        } catch {
            throw error.code == EFBIG ? .tooMuch : .unreadable(error.code)
        }
    }
}
