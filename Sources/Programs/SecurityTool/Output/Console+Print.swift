import Glibc
import Terminal

extension Console {
    /// - Throws: if not everything could be written. Nothing is said of a reader that went away.
    static func print(_ text: String) throws(Failure) {
        try print(bytes: Array(text.utf8))
    }

    static func print(bytes: [UInt8]) throws(Failure) {
        let error = write(bytes)
        switch error {
        case 0: return
        case EPIPE: throw Failure("")
        default: throw Failure("standard output: \(unsafe String(cString: strerror(error)))")
        }
    }
}
