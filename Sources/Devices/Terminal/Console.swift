import Glibc
import KeychainSystem

/// Standard output and standard error, unbuffered, so that the two stay in order.
package enum Console {
    /// - Returns: what was wrong where not everything could be written, as `errno` has it; otherwise 0.
    package static func write(_ bytes: [UInt8]) -> Int32 { write(bytes, to: STDOUT_FILENO) }

    /// - Throws: if not everything could be written. Nothing is said of a reader that went away.
    package static func writeAll(_ bytes: [UInt8]) throws(Failure) {
        let error = write(bytes)
        switch error {
        case 0: return
        case EPIPE: throw Failure("")
        default: throw Failure("standard output: \(unsafe String(cString: strerror(error)))")
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        do throws(SystemError) {
            try LentDescriptor(descriptor).write(bytes)
            return 0
        } catch {
            return error.code
        }
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
