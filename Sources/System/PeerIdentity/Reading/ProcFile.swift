import Glibc
import KeychainSystem

/// Files of /proc, read whole.
enum ProcFile {
    /// - Parameter path: relative to `folder`, if one is given.
    /// - Returns: nil if it cannot be read or is larger than `largest`.
    static func read(_ path: String, in folder: Int32 = AT_FDCWD, largest: Int) -> [UInt8]? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NOFOLLOW, in: LentDescriptor(folder)) else {
            return nil
        }
        return read(file, largest: largest)
    }

    static func read(_ descriptor: Descriptor, largest: Int) -> [UInt8]? {
        guard let bytes = try? descriptor.prefix(largest + 1, from: 0), bytes.count <= largest else { return nil }
        return bytes
    }
}
