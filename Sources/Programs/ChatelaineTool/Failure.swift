/// Why a command did not do its work: what follows `chatelaine: `, and the exit status.
struct Failure: Error {
    let message: String
    let exitStatus: Int32

    init(_ message: String, exitStatus: Int32 = 1) {
        self.message = message
        self.exitStatus = exitStatus
    }
}
