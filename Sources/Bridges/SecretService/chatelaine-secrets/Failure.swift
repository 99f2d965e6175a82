/// Why a command did not do its work: what follows `chatelaine secrets: `.
struct Failure: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
