import Foundation
import Glibc

/// Files that the kernel makes up while they are read.
package enum KernelFile {
    /// Reads one to its end. Foundation stops at the first read that gives less than it asked for: of a process's maps, at
    /// the first 4 KiB.
    package static func text(_ path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &part, part.count)
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += part[..<count]
        }
    }
}
