import EnclaveInterface
import Glibc
import KeychainFiles
package import KeychainModel

/// A file with a passcode, which whoever starts a program names: as systemd, Docker and Kubernetes hand secrets over.
package struct PasscodeFile: Sendable {
    private let path: String
    private let reader: UInt32

    /// - Parameter reader: who reads it: this process's user.
    package init(path: String, reader: UInt32 = geteuid()) {
        self.path = path
        self.reader = reader
    }

    /// Follows links, which Kubernetes makes of its secrets. Reads a bounded number of bytes of a regular file, and waits
    /// for nothing. A line end after the passcode is left out.
    ///
    /// - Parameter warn: is told what the program that runs cannot mend: that others can read root's file.
    /// - Throws: `notAvailable` for a file that is missing, empty or no passcode's, that neither root nor this user owns, that
    ///   somebody else may write, or that is this user's and somebody else may read. Never without a passcode.
    package func read(warn: (String) -> Void) throws(KeychainError) -> SecretBytes {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw refused(errno == ENOENT ? "is missing" : "cannot be opened: \(reason())") }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw refused("cannot be read: \(reason())") }
        try check(status, warn)
        let contents: SecretBytes
        do throws(KeychainError) {
            contents = try SecureFile.contents(of: descriptor, size: Int(status.st_size), path: path).withoutLineEnd
        } catch {
            throw refused("cannot be read: \(error.message)")
        }
        guard contents.count > 0 else { throw refused("is empty") }
        do throws(KeychainError) {
            return try Passcode(contents).bytes
        } catch {
            throw refused("has no passcode: \(error.message)")
        }
    }

    private func check(_ status: stat, _ warn: (String) -> Void) throws(KeychainError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw refused("is not a file") }
        guard status.st_uid == reader || status.st_uid == 0 else {
            throw refused("belongs to the user \(status.st_uid); it has to belong to root or to you")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw refused("can be written by others; take that from them: chmod go-w '\(path)'")
        }
        guard status.st_size <= Passcode.largestInput + 1 else { throw refused("is larger than a passcode can be") }
        if status.st_uid != 0 && status.st_mode & 0o044 != 0 {
            throw refused("can be read by others; make it yours alone: chmod 600 '\(path)'")
        }
        // Engines of containers make root's files so, and the program can change nothing about it.
        if status.st_mode & 0o004 != 0 {
            warn(
                "the passcode's file \(path) can be read by every user here; give it the mode 0400, or 0440 and a group"
            )
        }
    }

    private func refused(_ why: String) -> KeychainError {
        KeychainError(.notAvailable, "the passcode's file \(path) \(why)")
    }

    private func reason() -> String { unsafe String(cString: strerror(errno)) }
}
