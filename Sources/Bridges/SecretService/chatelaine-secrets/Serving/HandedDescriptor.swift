import Glibc
import KeychainModel
import KeychainSystem

/// A descriptor that somebody has handed in: a pipe or a stream socket, which may be full, or have nobody at its other end.
/// Nothing here waits for it.
struct HandedDescriptor {
    private let number: Int32

    init(_ number: Int32) { self.number = number }

    /// Writes a secret into it.
    ///
    /// - Returns: whether all of it was taken at once. What fits into an empty pipe is written as a whole or not at all.
    func take(_ secret: SecretBytes) -> Bool {
        guard let stamp = try? LentDescriptor(number).stamp() else { return false }
        return unsafe secret.withUnsafeBytes { bytes in
            switch stamp.mode & S_IFMT {
            case S_IFIFO:
                // Another description of the same pipe, since the giver shares the flags of this one.
                let own = try? Descriptor(opening: "/proc/self/fd/\(number)", O_WRONLY | O_NONBLOCK)
                guard let own else { return false }
                return own.withNumber { unsafe Glibc.write($0, bytes.baseAddress, bytes.count) } == bytes.count
            case S_IFSOCK:
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                return unsafe send(number, bytes.baseAddress, bytes.count, flags) == bytes.count
            default: return false
            }
        }
    }
}
