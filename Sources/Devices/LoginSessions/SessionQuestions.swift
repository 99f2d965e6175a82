import KeychainSystem
import MessageBus

/// What logind is asked (org.freedesktop.login1(5)). One that does not answer within five seconds is taken
/// for gone, and an answer of another form is an error.
extension MessageBus {
    static let logind = "org.freedesktop.login1"
    static let logindManager = "org.freedesktop.login1.Manager"
    static let logindSession = "org.freedesktop.login1.Session"
    private static let logindPath = "/org/freedesktop/login1"
    static let patience: UInt64 = 5

    /// The users of logind's sessions, by the sessions' paths.
    func sessions() throws(BusError) -> [String: UInt32] {
        let answer = try call(Self.logind, Self.logindPath, Self.logindManager, "ListSessions", seconds: Self.patience)
        return try Self.sessions(in: answer)
    }

    static func sessions(in answer: [BusValue]) throws(BusError) -> [String: UInt32] {
        var sessions: [String: UInt32] = [:]
        guard let all = answer.first?.elements else { throw BusError.unreadableAnswer }
        for session in all {
            // Its name, the user, the user's name, the seat, and its path.
            guard let fields = session.fields, fields.count == 5, let user = fields[1].number,
                let path = fields[4].objectPath
            else { throw BusError.unreadableAnswer }
            sessions[path] = user
        }
        return sessions
    }

    func isLocked(_ session: String) throws(BusError) -> Bool {
        guard let isLocked = try logindProperty("LockedHint", of: session)?.boolean else {
            throw BusError.unreadableAnswer
        }
        return isLocked
    }

    /// What kind a session is of: `user`, `greeter`, `background`, `manager` and others.
    func kind(of session: String) throws(BusError) -> String {
        guard let kind = try logindProperty("Class", of: session)?.text else { throw BusError.unreadableAnswer }
        return kind
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
