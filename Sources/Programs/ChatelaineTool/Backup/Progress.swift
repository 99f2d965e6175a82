import Glibc
import Terminal

/// Tells a person who waits how far something is: on a terminal, and not before it has taken a while.
final class Progress {
    private let what: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var hasShown = false

    init(_ what: String) {
        self.what = what
    }

    func show(_ bytes: UInt64, of total: UInt64? = nil) {
        guard isShown, start.duration(to: .now) > .seconds(1), last.duration(to: .now) > .milliseconds(200) else {
            return
        }
        last = .now
        hasShown = true
        let share = total.map { $0 > 0 ? " of \($0 >> 20)" : "" } ?? ""
        Console.printError("\r\(what): \(bytes >> 20)\(share) MiB")
    }

    func end() {
        if hasShown { Console.printError("\n") }
    }
}
