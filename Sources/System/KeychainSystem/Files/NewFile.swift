import CKeychainLinux
import Glibc

/// A file on its way to its name: it gets it when it is whole and on the disk, or never.
///
/// Until then it has none, wherever the file system can do that: a process that is killed leaves nothing.
package final class NewFile {
    private let path: String
    private let temporary: String
    /// For writing, and for reading what was written.
    package let descriptor: Descriptor
    /// Whether `temporary` is there and has to go.
    private var hasTemporaryName = false

    /// Creates an empty file in the same folder.
    ///
    /// - Parameter isNamed: whether it is called `path` with `.new` after it meanwhile. What has that name is removed, so callers
    ///   keep others from writing at the same time.
    package init(beside path: String, mode: UInt32, isNamed: Bool = false) throws(SystemError) {
        self.path = path
        temporary = path + (isNamed ? ".new" : ".new-\(UInt64.random(in: .min ... .max))")
        if isNamed { _ = unsafe unlink(temporary) }
        if !isNamed, let unnamed = Self.openUnnamed(in: Folder.path(of: path)) {
            descriptor = unnamed
        } else {
            let number = unsafe open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard number >= 0 else { throw SystemError("\(path) cannot be written") }
            descriptor = Descriptor(owning: number)
            hasTemporaryName = true
        }
        // Regardless of the shell's umask; an enclave, whose files have names meanwhile, may not make this call.
        if !isNamed || mode != 0o600, fchmod(descriptor.number, mode) != 0 {
            throw SystemError("\(path) cannot be written")
        }
    }

    deinit {
        if hasTemporaryName { _ = unsafe unlink(temporary) }
    }

    /// - Returns: nil where such a file cannot be, or cannot be given a name later: through `/proc`, as open(2) has it.
    private static func openUnnamed(in folder: String) -> Descriptor? {
        let number = unsafe clinux_open_unnamed(folder)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(owning: number)
        return unsafe access(place(of: descriptor), F_OK) == 0 ? descriptor : nil
    }

    private static func place(of descriptor: Descriptor) -> String { "/proc/self/fd/\(descriptor.number)" }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        do throws(SystemError) { try descriptor.write(bytes) } catch { throw failure(error.code) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        do throws(SystemError) { try unsafe descriptor.write(bytes) } catch { throw failure(error.code) }
    }

    /// Gives the file its name.
    ///
    /// - Parameters:
    ///   - replacing: whether it takes the place of a file of that name.
    ///   - lasting: whether file and name have to outlive a power cut.
    /// - Throws: `EEXIST` where another has the name and may not.
    package func commit(replacing: Bool, lasting: Bool = true) throws(SystemError) {
        if lasting, fsync(descriptor.number) != 0 { throw failure(errno) }
        if replacing {
            // A link replaces nothing; a renaming does, and needs a name to begin with.
            if !hasTemporaryName { try link(as: temporary) }
            hasTemporaryName = true
            guard unsafe rename(temporary, path) == 0 else { throw failure(errno) }
        } else {
            try link(as: path)
            if hasTemporaryName { _ = unsafe unlink(temporary) }
        }
        hasTemporaryName = false
        if lasting { try Folder.synchronize(of: path) }
    }

    private func link(as name: String) throws(SystemError) {
        let result =
            if hasTemporaryName {
                unsafe Glibc.link(temporary, name)
            } else {
                unsafe linkat(AT_FDCWD, Self.place(of: descriptor), AT_FDCWD, name, AT_SYMLINK_FOLLOW)
            }
        guard result == 0 else { throw failure(errno) }
    }

    private func failure(_ code: Int32) -> SystemError {
        SystemError(code, code == EEXIST ? "\(path) is there already" : "\(path) cannot be written")
    }
}
