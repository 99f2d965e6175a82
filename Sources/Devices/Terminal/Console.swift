import Glibc

/// Standard output and standard error, unbuffered, so that the two stay in order.
package enum Console {
    /// - Returns: what was wrong where not everything could be written, as `errno` has it; otherwise 0.
    package static func write(_ bytes: [UInt8]) -> Int32 { write(bytes, to: STDOUT_FILENO) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// There is nowhere to say that standard error cannot be written.
    package static func printError(_ text: String) {
        _ = write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// The number of columns, if output goes to a terminal.
    package static var width: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
