/// Why a command did not do its work: what follows the program's name, and the exit status.
package struct Failure: Error {
    /// Nothing is said if it is empty.
    package let message: String
    package let exitStatus: Int32
    /// The keychain's code (an `OSStatus`), where it refused.
    package let code: Int32?

    package init(_ message: String, exitStatus: Int32 = 1, code: Int32? = nil) {
        self.message = message
        self.exitStatus = exitStatus
        self.code = code
    }
}
