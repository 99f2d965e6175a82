import CKeychainLinux
package import Glibc

/// An open descriptor that is closed with its last user.
package final class Descriptor: OpenDescriptor {
    package let number: Int32

    /// - Parameter number: an open descriptor that no other code closes.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Opens a file or a folder. No program that is started later gets the descriptor.
    ///
    /// - Parameters:
    ///   - path: from the root, from `folder`, or from the current folder.
    ///   - flags: those of open(2), such as `O_RDONLY`.
    ///   - mode: of a file that is made.
    ///   - folder: an open folder.
    package convenience init(
        opening path: String,
        _ flags: Int32,
        mode: UInt32 = 0,
        in folder: (any OpenDescriptor)? = nil
    ) throws(SystemError) {
        let number = unsafe openat(folder?.number ?? AT_FDCWD, path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError("\(path) cannot be opened") }
        self.init(owning: number)
    }

    /// Opens what has a name in an open folder.
    ///
    /// - Parameter name: bytes that need be no text, with a zero at the end.
    package convenience init(
        opening name: [CChar],
        _ flags: Int32,
        mode: UInt32 = 0,
        in folder: some OpenDescriptor
    ) throws(SystemError) {
        let number = unsafe openat(folder.number, name, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError("a name of a folder cannot be opened") }
        self.init(owning: number)
    }

    /// A new pipe.
    package static func pipe() throws(SystemError) -> (reader: Descriptor, writer: Descriptor) {
        var ends: [Int32] = [-1, -1]
        guard unsafe clinux_pipe(&ends) == 0 else { throw SystemError("no pipe can be made") }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }

    /// The two ends of a new connection.
    ///
    /// - Parameter kind: `SOCK_STREAM` or `SOCK_SEQPACKET`.
    package static func pair(_ kind: __socket_type) throws(SystemError) -> (Descriptor, Descriptor) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError("no socket can be made") }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }
}

/// A descriptor that other code closes, such as standard input.
package struct LentDescriptor: OpenDescriptor {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }
}
