import Glibc

/// Files of /proc, read whole.
enum SmallFile {
    /// - Parameter path: relative to `folder`, if one is given.
    /// - Returns: nil if it cannot be read or is larger than `largest`.
    static func read(_ path: String, in folder: Int32 = AT_FDCWD, largest: Int) -> [UInt8]? {
        let number = unsafe openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(owning: number)
        return read(descriptor, largest: largest)
    }

    static func read(_ descriptor: Descriptor, largest: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(largest, 16_384))
        while bytes.count <= largest {
            let count = unsafe part.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor.number, buffer.baseAddress, buffer.count, bytes.count)
            }
            if count < 0 { return nil }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
        return nil
    }

    /// Where a symbolic link of /proc leads, as text; nil if it cannot be read or is no text.
    static func link(_ path: String, in folder: Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(folder, path, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(validating: bytes[..<count], as: UTF8.self)
    }
}
