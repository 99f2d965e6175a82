import KeychainSystem
import MessageBus

/// What logind is asked (org.freedesktop.login1(5)). Whoever does not answer within five seconds is taken for gone.
extension MessageBus {
    static let logind = "org.freedesktop.login1"
    static let logindManager = "org.freedesktop.login1.Manager"
    static let logindSession = "org.freedesktop.login1.Session"
    private static let logindPath = "/org/freedesktop/login1"
    static let patience: UInt64 = 5

    /// The users of logind's sessions, by the sessions' paths.
    func sessions() throws(BusError) -> [String: UInt32] {
        let answer = try call(Self.logind, Self.logindPath, Self.logindManager, "ListSessions", seconds: Self.patience)
        var sessions: [String: UInt32] = [:]
        for session in answer.first?.elements ?? [] {
            // Its name, the user, the user's name, the seat, and its path.
            guard let fields = session.fields, fields.count == 5, let path = fields[4].objectPath else { continue }
            sessions[path] = fields[1].number
        }
        return sessions
    }

    func isLocked(_ session: String) throws(BusError) -> Bool {
        try logindProperty("LockedHint", of: session)?.boolean ?? false
    }

    /// What kind a session is of: `user`, `greeter`, `background`, `manager` and others.
    func kind(of session: String) throws(BusError) -> String {
        try logindProperty("Class", of: session)?.text ?? ""
    }

    private func logindProperty(_ name: String, of session: String) throws(BusError) -> BusValue? {
        try property(name, of: session, Self.logindSession, at: Self.logind, seconds: Self.patience)
    }

    /// A descriptor that has the machine's sleep wait, for some seconds, while it is open.
    func delaySleep(who: String, why: String) throws(BusError) -> Descriptor {
        try callForDescriptor(
            Self.logind,
            Self.logindPath,
            Self.logindManager,
            "Inhibit",
            [.string("sleep"), .string(who), .string(why), .string("delay")],
            seconds: Self.patience
        )
    }
}
