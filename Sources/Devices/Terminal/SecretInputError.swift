/// Why no secret was read: a sentence for the person, and the exit status of the command.
package struct SecretInputError: Error {
    package let message: String
    package let exitStatus: Int32

    package init(_ message: String, exitStatus: Int32 = 1) {
        self.message = message
        self.exitStatus = exitStatus
    }
}
