/// Why a step has not come to its end.
enum FingerprintInterruption: Error {
    case cancelled
    case obstacle(FingerprintObstacle)
}

/// fprintd, as far as it is believed: by the unique name that it had when it was found to run as root.
final class FingerprintService {
    private let bus: BusConversation
    private let limits: FingerprintLimits
    private let stop: Int32
    private var owner = ""

    private static let name = "net.reactivated.Fprint"
    private static let manager = "/net/reactivated/Fprint/Manager"
    private static let driver = "org.freedesktop.DBus"
    private static let driverPath = "/org/freedesktop/DBus"
    private static let device = "net.reactivated.Fprint.Device"

    /// Finds fprintd, which the bus starts where it does not run.
    init(address: String?, limits: FingerprintLimits, stop: Int32) throws(FingerprintInterruption) {
        do { bus = try BusConversation(address: address) } catch { throw .obstacle(.noBus) }
        self.limits = limits
        self.stop = stop
        // Before the owner is asked for, so that no change of it is missed.
        _ = try askDriver(
            "AddMatch",
            "type='signal',sender='\(Self.driver)',interface='\(Self.driver)',member='NameOwnerChanged',arg0='\(Self.name)'"
        )
        // The bus starts what it has a file for, and knows of nothing else that runs already.
        var found = try findOwner()
        if found == nil {
            do {
                _ = try wait(for: .startOf(Self.name), from: Self.driver, within: limits.start, stop: stop)
            } catch {
                throw Self.isRefusal(error) ? .obstacle(.noService) : interruption(error)
            }
            found = try findOwner()
        }
        guard let found else { throw .obstacle(.noService) }
        guard found.signature == "s", let unique = found.texts.first, unique.hasPrefix(":") else {
            throw .obstacle(.misbehaving)
        }
        let user = try askDriver("GetConnectionUnixUser", unique)
        guard user.signature == "u", user.number == 0 else { throw .obstacle(.untrustedService) }
        owner = unique
    }

    /// nil where no process owns fprintd's name.
    private func findOwner() throws(FingerprintInterruption) -> BusMessage? {
        do {
            return try wait(
                for: .call(Self.driver, Self.driverPath, Self.driver, "GetNameOwner", [Self.name]),
                from: Self.driver,
                within: limits.answer,
                stop: stop
            )
        } catch {
            if Self.isRefusal(error) { return nil }
            throw interruption(error)
        }
    }

    func defaultDevice() throws(FingerprintInterruption) -> String {
        let answer = try ask(Self.manager, "net.reactivated.Fprint.Manager", "GetDefaultDevice")
        guard answer.signature == "o", let path = answer.texts.first, path.hasPrefix("/") else {
            throw .obstacle(.misbehaving)
        }
        return path
    }

    func checkEnrolled(_ user: String, on device: String) throws(FingerprintInterruption) {
        guard UserName.isUsable(user) else { throw .obstacle(.unusableName) }
        let answer = try ask(device, Self.device, "ListEnrolledFingers", [user])
        guard answer.signature == "as" else { throw .obstacle(.misbehaving) }
        if answer.count == 0 { throw .obstacle(.nothingEnrolled) }
    }

    func kind(of device: String) throws(FingerprintInterruption) -> FingerprintKind {
        let answer = try ask(device, "org.freedesktop.DBus.Properties", "Get", [Self.device, "scan-type"])
        return answer.texts.first == "swipe" ? .swipe : .press
    }

    // MARK: - Verifying

    func verify(
        _ user: String,
        on device: String,
        patience: Duration,
        hear: (FingerprintMessage) -> Void
    ) throws(FingerprintInterruption) -> FingerprintVerdict {
        // fprintd takes an empty name for the caller's own.
        guard UserName.isUsable(user) else { throw .obstacle(.unusableName) }
        _ = try askDriver(
            "AddMatch",
            "type='signal',sender='\(owner)',path='\(device)',interface='\(Self.device)',member='VerifyStatus'"
        )
        var hold = Hold()
        do throws(FingerprintInterruption) {
            let verdict = try verify(user, on: device, patience: patience, hold: &hold, hear: hear)
            release(hold, device: device)
            return verdict
        } catch {
            release(hold, device: device)
            throw error
        }
    }

    /// What fprintd holds for this connection, or may hold as soon as it gets there.
    private struct Hold {
        var isClaimed = false
        var isVerifying = false
    }

    private func verify(
        _ user: String,
        on device: String,
        patience: Duration,
        hold: inout Hold,
        hear: (FingerprintMessage) -> Void
    ) throws(FingerprintInterruption) -> FingerprintVerdict {
        hold.isClaimed = true
        do {
            _ = try wait(
                for: .call(owner, device, Self.device, "Claim", [user]),
                from: owner,
                within: limits.start,
                stop: stop
            )
        } catch {
            hold.isClaimed = !Self.isRefusal(error)
            throw interruption(error)
        }
        hold.isVerifying = true
        do {
            // Statuses that come before the answer are of an earlier verification, and are dropped with all that is not
            // waited for: the bus keeps the order of what one sender sends.
            _ = try wait(
                for: .call(owner, device, Self.device, "VerifyStart", ["any"]),
                from: owner,
                within: limits.start,
                stop: stop
            )
        } catch {
            hold.isVerifying = !Self.isRefusal(error)
            throw interruption(error)
        }
        hear(.waiting)
        let end = BusConversation.end(of: patience)
        for _ in 0..<limits.statuses {
            let status = try nextStatus(of: device, end: end)
            if let verdict = try verdict(of: status, hear: hear) { return verdict }
        }
        throw .obstacle(.misbehaving)
    }

    private func nextStatus(of device: String, end: UInt64) throws(FingerprintInterruption) -> BusMessage {
        while true {
            let message: BusMessage
            do {
                message = try bus.receive(stop: stop, end: end)
                try checkOwner(message)
            } catch {
                // The person it was who took long, and not fprintd.
                if case .noAnswer = error { throw .obstacle(.timedOut) }
                throw interruption(error)
            }
            // The bus writes the sender. Its rules hold off what is not addressed to this connection alone, and anybody
            // may address a signal to it.
            if message.kind == .signal, message.sender == owner, message.path == device,
                message.interface == Self.device, message.member == "VerifyStatus", message.signature == "sb"
            {
                return message
            }
        }
    }

    /// What a status says; nil where the verification goes on.
    private func verdict(
        of status: BusMessage,
        hear: (FingerprintMessage) -> Void
    ) throws(FingerprintInterruption) -> FingerprintVerdict? {
        let isDone = status.flag
        switch (status.texts.first ?? "", isDone) {
        case ("verify-match", true): return .matched
        case ("verify-no-match", true): return .noMatch
        case ("verify-disconnected", _): throw .obstacle(.readerLost)
        case ("verify-retry-scan", false): hear(.retry)
        case ("verify-swipe-too-short", false): hear(.swipeTooShort)
        case ("verify-finger-not-centered", false): hear(.notCentered)
        case ("verify-remove-and-retry", false): hear(.removeAndRetry)
        // Also a match that is not done: a service that says this violates the interface, and may be done all the same.
        default: if isDone { throw .obstacle(.failed) }
        }
        return nil
    }

    /// Frees the reader, whatever has become of the rest, within a time of its own. What is not answered fprintd does
    /// when the connection goes.
    private func release(_ hold: Hold, device: String) {
        guard hold.isClaimed else { return }
        let end = BusConversation.end(of: limits.end)
        do {
            if hold.isVerifying {
                do {
                    _ = try wait(
                        for: .call(owner, device, Self.device, "VerifyStop", []),
                        from: owner,
                        // Also the release shall be tried.
                        end: BusConversation.end(of: limits.end / 2),
                        stop: -1
                    )
                } catch {
                    if case .lost = error { return }
                }
            }
            _ = try wait(for: .call(owner, device, Self.device, "Release", []), from: owner, end: end, stop: -1)
        } catch {
            return
        }
    }

    // MARK: - Asking

    private func askDriver(_ member: String, _ text: String) throws(FingerprintInterruption) -> BusMessage {
        do {
            return try wait(
                for: .call(Self.driver, Self.driverPath, Self.driver, member, [text]),
                from: Self.driver,
                within: limits.answer,
                stop: stop
            )
        } catch {
            throw interruption(error)
        }
    }

    private func ask(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ texts: [String] = []
    ) throws(FingerprintInterruption) -> BusMessage {
        do {
            return try wait(
                for: .call(owner, path, interface, member, texts),
                from: owner,
                within: limits.answer,
                stop: stop
            )
        } catch {
            throw interruption(error)
        }
    }

    private func wait(
        for call: BusCall,
        from destination: String,
        within limit: Duration,
        stop: Int32
    ) throws(BusFailure) -> BusMessage {
        try wait(for: call, from: destination, end: BusConversation.end(of: limit), stop: stop)
    }

    /// The answer to a call. Drops what else comes, unless fprintd is lost with it.
    private func wait(
        for call: BusCall,
        from destination: String,
        end: UInt64,
        stop: Int32
    ) throws(BusFailure) -> BusMessage {
        let cookie = try bus.send(call)
        while true {
            let message = try bus.receive(stop: stop, end: end)
            try checkOwner(message)
            guard message.kind != .signal, message.answers == cookie else { continue }
            // The bus refuses in its own name what it does not deliver.
            guard message.sender == destination || message.kind == .refusal && message.sender == Self.driver else {
                continue
            }
            if message.kind == .refusal { throw .refused(message.error) }
            return message
        }
    }

    /// Notices that fprintd's name has another owner, or none.
    private func checkOwner(_ message: BusMessage) throws(BusFailure) {
        guard !owner.isEmpty, message.kind == .signal, message.sender == Self.driver,
            message.member == "NameOwnerChanged", message.signature == "sss", message.texts.first == Self.name
        else { return }
        // Changes from before it was found may still be on their way here.
        if message.texts.last != owner { throw .lost }
    }

    private static func isRefusal(_ failure: BusFailure) -> Bool {
        if case .refused = failure { true } else { false }
    }

    private func interruption(_ failure: BusFailure) -> FingerprintInterruption {
        switch failure {
        case .cancelled: .cancelled
        case .noAnswer: .obstacle(.noAnswer)
        case .lost: .obstacle(owner.isEmpty ? .noBus : .serviceLost)
        case .refused(let error): .obstacle(Self.obstacle(error))
        }
    }

    /// Errors of fprintd (net.reactivated.Fprint.Error) and of the bus.
    private static func obstacle(_ error: String) -> FingerprintObstacle {
        switch error {
        case "net.reactivated.Fprint.Error.NoSuchDevice": .noReader
        case "net.reactivated.Fprint.Error.NoEnrolledPrints": .nothingEnrolled
        case "net.reactivated.Fprint.Error.AlreadyInUse": .busy
        case "net.reactivated.Fprint.Error.PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied",
            "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired":
            .notPermitted
        // The bus's, when the called service has gone, before or after it got the call.
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.NoReply":
            .serviceLost
        default: .failed
        }
    }
}
