import KeychainSystem
import MessageBus

/// Makes events of what is heard on one connection to the bus.
struct SessionHearing {
    private let bus: MessageBus
    /// logind's unique name; nil while it does not run.
    private var logind: String?
    /// The users of the sessions, by the sessions' paths.
    private var sessions: [String: UInt32] = [:]
    /// The sessions whose screens are locked.
    private var locked: Set<String> = []
    /// Holds up the machine's sleep while it is open.
    private var inhibitor: Descriptor?
    private(set) var hasBegun = false

    init(bus: MessageBus) {
        self.bus = bus
    }

    private static let name = MessageBus.logind
    private static let manager = MessageBus.logindManager
    private static let session = MessageBus.logindSession
    private static let driver = MessageBus.driver
    private static let properties = "org.freedesktop.DBus.Properties"

    /// - Returns: the events from before this began to listen.
    mutating func begin() throws(BusError) -> [LoginSessions.Event] {
        try watch(
            "type='signal',sender='\(Self.driver)',interface='\(Self.driver)',member='NameOwnerChanged',arg0='\(Self.name)'"
        )
        for member in ["PrepareForSleep", "SessionNew", "SessionRemoved", "UserRemoved"] {
            try watch("type='signal',sender='\(Self.name)',interface='\(Self.manager)',member='\(member)'")
        }
        for member in ["Lock", "Unlock"] {
            try watch("type='signal',sender='\(Self.name)',interface='\(Self.session)',member='\(member)'")
        }
        // A desktop that locks its screen by itself says so there, and gives no Lock.
        try watch(
            "type='signal',sender='\(Self.name)',interface='\(Self.properties)',member='PropertiesChanged',arg0='\(Self.session)'"
        )
        let events = try meet(bus.owner(of: Self.name, seconds: MessageBus.patience))
        hasBegun = true
        return events
    }

    private func watch(_ rule: String) throws(BusError) { try bus.watch(rule, seconds: MessageBus.patience) }

    private mutating func meet(_ owner: String?) throws(BusError) -> [LoginSessions.Event] {
        logind = owner
        inhibitor = nil
        locked = []
        guard owner != nil else { return [] }
        // What happens to a session is of use only with whose it is.
        sessions = (try? bus.sessions()) ?? [:]
        delaySleep()
        // A screen may have been locked while this did not listen: while the bus, logind or this service was started
        // again.
        locked = Set(sessions.keys.filter { (try? bus.isLocked($0)) == true })
        return Set(locked.compactMap { sessions[$0] }).sorted().map { .screenLocked(uid: $0) }
    }

    /// Where logind refuses, the machine sleeps without waiting.
    private mutating func delaySleep() {
        inhibitor = try? bus.delaySleep(who: "Chatelaine", why: "Locks keychains before the machine sleeps")
    }

    // MARK: - Signals

    /// - Parameters:
    ///   - sender: its unique name.
    ///   - arguments: of the signal.
    mutating func events(
        of member: String,
        _ interface: String,
        at path: String,
        from sender: String,
        _ arguments: [BusValue]
    ) throws(BusError) -> [LoginSessions.Event] {
        // The bus writes the sender, so nobody can pass for another. Rules of the bus hold off what is not addressed to
        // this connection alone, and anybody may address a signal to it.
        if sender == Self.driver {
            guard member == "NameOwnerChanged", arguments.first?.text == Self.name else { return [] }
            return try meet(arguments.last?.text.flatMap { $0.isEmpty ? nil : $0 })
        }
        guard let logind, sender == logind else { return [] }
        switch (interface, member) {
        case (Self.manager, "PrepareForSleep"): return [arguments.first?.boolean == true ? .sleep : .wake]
        case (Self.manager, "SessionNew"):
            try refresh()
            return []
        case (Self.manager, "SessionRemoved"):
            guard let path = arguments.last?.objectPath else { return [] }
            return try sessionRemoved(path)
        case (Self.manager, "UserRemoved"): return arguments.first?.number.map { [.userGone(uid: $0)] } ?? []
        case (Self.session, "Lock"): return try user(of: path).map { [.screenLocked(uid: $0)] } ?? []
        case (Self.session, "Unlock"): return try user(of: path).map { [.screenUnlocked(uid: $0)] } ?? []
        case (Self.properties, "PropertiesChanged"): return try lockedHint(of: path)
        default: return []
        }
    }

    /// To be called when the event was handled.
    mutating func finish(_ event: LoginSessions.Event) throws(BusError) {
        switch event {
        case .sleep: inhibitor = nil
        case .wake: delaySleep()
        default: break
        }
    }

    private mutating func refresh() throws(BusError) {
        sessions = try bus.sessions()
        locked = locked.filter { sessions[$0] != nil }
    }

    private mutating func user(of session: String) throws(BusError) -> UInt32? {
        if sessions[session] == nil { try refresh() }
        return sessions[session]
    }

    private mutating func sessionRemoved(_ path: String) throws(BusError) -> [LoginSessions.Event] {
        let user = sessions[path]
        try refresh()
        // logind still lists a session that is being closed.
        sessions[path] = nil
        guard let user, !sessions.contains(where: { $0.value == user && isPersons($0.key) }) else { return [] }
        return [.lastSessionEnded(uid: user)]
    }

    /// Whether a person uses, or may use, a session: not a service manager's own, nor a program's that runs by the
    /// clock.
    private func isPersons(_ session: String) -> Bool {
        guard let kind = try? bus.kind(of: session) else { return true }
        return !kind.hasPrefix("manager") && !kind.hasPrefix("background")
    }

    private mutating func lockedHint(of path: String) throws(BusError) -> [LoginSessions.Event] {
        guard let user = try user(of: path) else { return [] }
        // The session may have gone meanwhile.
        guard let isLocked = try? bus.isLocked(path) else { return [] }
        if isLocked { return locked.insert(path).inserted ? [.screenLocked(uid: user)] : [] }
        return locked.remove(path) == nil ? [] : [.screenUnlocked(uid: user)]
    }
}
