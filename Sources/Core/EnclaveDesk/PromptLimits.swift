import EnclaveInterface

/// How often the owner is asked: a program that asks until the owner gives in has to wait.
///
/// Programs that are not installed count together, since any user can make a new one for each question, and have a part
/// of everything alone: an installed program's question is always taken beside them.
struct PromptLimits {
    private enum Share: Hashable {
        /// A name or path that cannot be chosen.
        case program(String)
        case others

        init(_ asker: Asker) {
            self =
                switch asker {
                case .named(let name, isVerified: true): .program(name)
                case .vouched(let program, _) where program.isInstalled: .program(program.path)
                case .named, .vouched: .others
                }
        }
    }

    private var declined: [Share: Attempts] = [:]
    /// When prompts were begun lately, in nanoseconds since the machine's start.
    private var begun: [(time: UInt64, share: Share)] = []

    /// Questions that are open at the same time.
    private static let mostOpen = 16
    private static let mostOpenOfAsker = 4
    /// Prompts in a minute, of all programs together.
    private static let mostInMinute = 30
    private static let mostInMinuteOfOthers = 24
    private static let minute: UInt64 = 60_000_000_000
    private static let mostAskers = 1_024

    /// Whether a question may be opened; counts it then.
    mutating func allows(_ asker: Asker, open: [Asker], at clock: StartClock) -> Bool {
        let share = Share(asker)
        begun.removeAll { clock.now < $0.time || clock.now - $0.time > Self.minute }
        guard open.count < Self.mostOpen, open.count(where: { Share($0) == share }) < Self.mostOpenOfAsker,
            begun.count < Self.mostInMinute,
            share != .others || begun.count(where: { $0.share == .others }) < Self.mostInMinuteOfOthers,
            (declined[share] ?? .none).remaining(at: clock, hardware: nil) == 0
        else { return false }
        begun.append((clock.now, share))
        return true
    }

    /// Whether its questions are shown before those of programs that are not installed.
    static func goesFirst(_ asker: Asker) -> Bool { Share(asker) != .others }

    /// The owner declined, or gave wrong answers until the end. The first three times cost nothing, as for a passcode.
    mutating func declined(_ asker: Asker, at clock: StartClock) {
        let share = Share(asker)
        if declined[share] == nil, declined.count >= Self.mostAskers {
            declined = declined.filter { $0.value.remaining(at: clock, hardware: nil) > 0 }
            guard declined.count < Self.mostAskers else { return }
        }
        declined[share] = Attempts(count: (declined[share]?.count ?? 0) + 1, armed: clock.now)
    }

    mutating func succeeded(_ asker: Asker) {
        declined[Share(asker)] = nil
    }
}
