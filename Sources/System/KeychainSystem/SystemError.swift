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

    /// Of this thread's last system call.
    package init(_ subject: @autoclosure () -> String) {
        // Before the text is made, which may change it.
        let code = errno
        self.init(code, subject())
    }

    /// The C library's words for the code.
    package var reason: String { unsafe String(cString: strerror(code)) }

    package var description: String { "\(subject): \(reason)" }
}
