import EnclaveInterface
import Glibc
import KeychainFiles
package import KeychainModel
import KeychainSystem

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
        let file: Descriptor
        let stamp: FileStamp
        do throws(SystemError) {
            file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            stamp = try file.stamp()
        } catch {
            throw refused(error.code == ENOENT ? "is missing" : "cannot be opened: \(error.reason)")
        }
        try check(stamp, warn)
        let contents: SecretBytes
        do throws(KeychainError) {
            contents = try SecureFile.contents(of: file, size: Int(stamp.size), path: path).withoutLineEnd
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

    private func check(_ stamp: FileStamp, _ warn: (String) -> Void) throws(KeychainError) {
        guard stamp.isFile else { throw refused("is not a file") }
        guard stamp.owner == reader || stamp.owner == 0 else {
            throw refused("belongs to the user \(stamp.owner); it has to belong to root or to you")
        }
        guard !stamp.isWritableToOthers else {
            throw refused("can be written by others; take that from them: chmod go-w '\(path)'")
        }
        guard stamp.size <= Passcode.largestInput + 1 else { throw refused("is larger than a passcode can be") }
        if stamp.owner != 0 && stamp.isReadableToOthers {
            throw refused("can be read by others; make it yours alone: chmod 600 '\(path)'")
        }
        // Engines of containers make root's files so, and the program can change nothing about it.
        if stamp.mode & 0o004 != 0 {
            warn(
                "the passcode's file \(path) can be read by every user here; give it the mode 0400, or 0440 and a group"
            )
        }
    }

    private func refused(_ why: String) -> KeychainError {
        KeychainError(.notAvailable, "the passcode's file \(path) \(why)")
    }
}
