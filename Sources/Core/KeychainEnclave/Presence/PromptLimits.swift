/// How often people are asked: whoever asks until somebody gives in is made to wait.
struct PromptLimits {
    private var declined: [Asker: Attempts] = [:]
    /// When prompts were begun lately, in nanoseconds since the machine's start.
    private var begun: [UInt64] = []

    /// Questions that are open at the same time.
    private static let mostOpen = 16
    private static let mostOpenOfAsker = 4
    /// Prompts in a minute, of all programs together.
    private static let mostInMinute = 30
    private static let minute: UInt64 = 60_000_000_000
    private static let mostAskers = 1_024

    /// Whether a question may be opened; counts it then.
    mutating func allows(_ asker: Asker, open: [Asker]) -> Bool {
        let clock = StartClock.current
        begun.removeAll { clock.now < $0 || clock.now - $0 > Self.minute }
        guard open.count < Self.mostOpen, open.count(where: { $0 == asker }) < Self.mostOpenOfAsker,
            begun.count < Self.mostInMinute, (declined[asker] ?? .none).remaining(at: clock, hardware: nil) == 0
        else { return false }
        begun.append(clock.now)
        return true
    }

    /// Somebody said no, or gave something wrong until the end. The first three times cost nothing, as for a passcode.
    mutating func declined(_ asker: Asker) {
        let clock = StartClock.current
        if declined[asker] == nil, declined.count >= Self.mostAskers {
            declined = declined.filter { $0.value.remaining(at: clock, hardware: nil) > 0 }
            guard declined.count < Self.mostAskers else { return }
        }
        declined[asker] = Attempts(count: (declined[asker]?.count ?? 0) + 1, armed: clock.now)
    }

    mutating func succeeded(_ asker: Asker) {
        declined[asker] = nil
    }
}
