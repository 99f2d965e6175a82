import Glibc

/// Makes events of what is heard on one connection to the bus.
struct SessionHearing {
    private let bus: SystemBus
    /// logind's unique name; nil while it does not run.
    private var logind: String?
    /// The users of the sessions, by the sessions' paths.
    private var sessions: [String: UInt32] = [:]
    /// The sessions whose screens are locked.
    private var locked: Set<String> = []
    private var inhibitor: Inhibitor?
    private(set) var hasBegun = false

    init(bus: SystemBus) {
        self.bus = bus
    }

    private static let name = "org.freedesktop.login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    private static let driver = "org.freedesktop.DBus"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// - Returns: the events from before this began to listen.
    mutating func begin() throws(BusError) -> [LoginSessions.Event] {
        try bus.watch(
            "type='signal',sender='\(Self.driver)',interface='\(Self.driver)',member='NameOwnerChanged',arg0='\(Self.name)'"
        )
        for member in ["PrepareForSleep", "SessionNew", "SessionRemoved", "UserRemoved"] {
            try bus.watch("type='signal',sender='\(Self.name)',interface='\(Self.manager)',member='\(member)'")
        }
        for member in ["Lock", "Unlock"] {
            try bus.watch("type='signal',sender='\(Self.name)',interface='\(Self.session)',member='\(member)'")
        }
        // A desktop that locks its screen by itself says so there, and gives no Lock.
        try bus.watch(
            "type='signal',sender='\(Self.name)',interface='\(Self.properties)',member='PropertiesChanged',arg0='\(Self.session)'"
        )
        let events = try meet(bus.owner(of: Self.name))
        hasBegun = true
        return events
    }

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
        inhibitor = (try? bus.delaySleep(who: "Chatelaine", why: "Locks keychains before the machine sleeps"))
            .map(Inhibitor.init)
    }

    // MARK: - Signals

    mutating func events(of signal: BusSignal) throws(BusError) -> [LoginSessions.Event] {
        // The bus writes the sender, so nobody can pass for another. Rules of the bus hold off what is not addressed to
        // this connection alone, and anybody may address a signal to it.
        if signal.sender == Self.driver {
            guard signal.member == "NameOwnerChanged", signal.texts.first == Self.name else { return [] }
            return try meet(signal.texts.last.flatMap { $0.isEmpty ? nil : $0 })
        }
        guard let logind, signal.sender == logind else { return [] }
        switch (signal.interface, signal.member) {
        case (Self.manager, "PrepareForSleep"): return [signal.flag ? .sleep : .wake]
        case (Self.manager, "SessionNew"):
            try refresh()
            return []
        case (Self.manager, "SessionRemoved"): return try sessionRemoved(signal.texts[1])
        case (Self.manager, "UserRemoved"): return [.userGone(uid: signal.number)]
        case (Self.session, "Lock"): return try user(of: signal.path).map { [.screenLocked(uid: $0)] } ?? []
        case (Self.session, "Unlock"): return try user(of: signal.path).map { [.screenUnlocked(uid: $0)] } ?? []
        case (Self.properties, "PropertiesChanged"): return try lockedHint(of: signal.path)
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

/// Holds up the machine's sleep while it lives.
private final class Inhibitor {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
