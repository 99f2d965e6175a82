import Synchronization

/// Asks for fingers through fprintd (net.reactivated.Fprint on the system bus; interface documentation of fprintd 1.94,
/// https://fprint.freedesktop.org/fprintd-dev/).
///
/// For a process whom polkit lets verify fingers of other users (`net.reactivated.fprint.device.verify` and
/// `.setusername`), and which alone hears what becomes of it. Calls block their thread, each no longer than it says.
///
/// fprintd is believed only where it runs as root, which is found out before anything is asked of it. All calls go to
/// its unique name, and only what comes from this name counts, so that a process that takes fprintd's name later is
/// ignored.
package struct FingerprintReader: Sendable {
    private let address: String?
    private let limits: FingerprintLimits
    private let gate = Gate()

    /// - Parameter address: of the bus; nil for the system's, or the one that DBUS_SYSTEM_BUS_ADDRESS names where the
    ///   environment may be believed.
    package init(address: String? = nil) {
        self.init(address: address, limits: FingerprintLimits())
    }

    init(address: String?, limits: FingerprintLimits) {
        self.address = address
        self.limits = limits
    }

    /// Whether the user's fingers can be asked for now. Starts fprintd where it does not run, and claims nothing.
    ///
    /// Takes a moment, and some seconds where fprintd does not answer.
    package func availability(of user: String) -> FingerprintStatus {
        do {
            let service = try FingerprintService(address: address, limits: limits, stop: -1)
            let device = try service.defaultDevice()
            try service.checkEnrolled(user, on: device)
            return .ready(try service.kind(of: device))
        } catch {
            switch error {
            // Nothing here can be cancelled.
            case .cancelled: return .obstacle(.noAnswer)
            case .obstacle(let obstacle): return .obstacle(obstacle)
            }
        }
    }

    /// Waits for one finger, and says whether it is one of the user's.
    ///
    /// One at a time; a second one meanwhile is `.obstacle(.busy)`. The reader is free again when this returns, or is
    /// freed by fprintd as soon as it sees the connection go.
    ///
    /// - Parameters:
    ///   - user: the name under which fprintd knows the fingers.
    ///   - stop: a descriptor that becomes readable when the result is no longer wanted; negative where there is none.
    ///   - patience: how long to wait for a finger, an hour at most.
    ///   - hear: is called on this thread, a bounded number of times.
    package func verify(
        user: String,
        until stop: Int32 = -1,
        patience: Duration = .seconds(30),
        hear: (FingerprintMessage) -> Void
    ) -> FingerprintVerdict {
        guard gate.enter() else { return .obstacle(.busy) }
        defer { gate.leave() }
        do {
            let service = try FingerprintService(address: address, limits: limits, stop: stop)
            let device = try service.defaultDevice()
            return try service.verify(user, on: device, patience: patience, hear: hear)
        } catch {
            switch error {
            case .cancelled: return .cancelled
            case .obstacle(let obstacle): return .obstacle(obstacle)
            }
        }
    }
}

/// How long whom is waited for.
struct FingerprintLimits: Sendable {
    /// fprintd's start, and the opening of a reader, which may have to wake up.
    var start: Duration = .seconds(10)
    var answer: Duration = .seconds(5)
    /// All that is needed to free the reader.
    var end: Duration = .seconds(3)
    /// How many statuses one attempt may bring.
    var statuses = 100
}

/// Lets one in.
private final class Gate: Sendable {
    private let isTaken = Mutex(false)

    func enter() -> Bool {
        isTaken.withLock { isTaken in
            if isTaken { return false }
            isTaken = true
            return true
        }
    }

    func leave() {
        isTaken.withLock { $0 = false }
    }
}
