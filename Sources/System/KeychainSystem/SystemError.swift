import Glibc

/// A system call did not do what it was asked for.
package struct SystemError: Error, Sendable, CustomStringConvertible {
    /// Why, as errno(3) has it.
    package let code: Int32
    /// What could not be done, with the path where there is one: "/etc/passwd cannot be opened".
    package let subject: String

    package init(_ code: Int32, _ subject: String) {
        self.code = code
        self.subject = subject
    }

    /// For what is refused before a system call is made.
    ///
    /// - Parameters:
    ///   - code: for programs: `EINVAL` where the caller is at fault.
    ///   - sentence: says why.
    package static func refusal(_ code: Int32, _ sentence: String) -> SystemError {
        var error = SystemError(code, sentence)
        error.isRefusal = true
        return error
    }

    /// Whether the subject says why, and the code is for programs alone.
    package private(set) var isRefusal = false

    /// Of this thread's last system call.
    package init(_ subject: @autoclosure () -> String) {
        // Before the text is made, which may change it.
        let code = errno
        self.init(code, subject())
    }

    /// The C library's words for the code.
    package var reason: String { unsafe String(cString: strerror(code)) }

    package var description: String { isRefusal ? subject : "\(subject): \(reason)" }
}
