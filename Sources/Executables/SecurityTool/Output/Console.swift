import Foundation
import Glibc

/// Writes to standard output and standard error, unbuffered, so that the two stay in order.
enum Console {
    /// - Throws: if not everything could be written. Nothing is said of a reader that went away.
    static func print(_ text: String) throws(Failure) {
        try print(bytes: Array(text.utf8))
    }

    static func print(bytes: [UInt8]) throws(Failure) {
        let error = write(bytes, to: STDOUT_FILENO)
        switch error {
        case 0: return
        case EPIPE: throw Failure("")
        default: throw Failure("standard output: \(unsafe String(cString: strerror(error)))")
        }
    }

    /// There is nowhere to say that standard error cannot be written.
    static func printError(_ text: String) {
        _ = write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// The number of columns, if output goes to a terminal.
    static var width: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

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
}
