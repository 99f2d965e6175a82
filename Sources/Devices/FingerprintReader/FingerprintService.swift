import MessageBus

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
    private static let device = "net.reactivated.Fprint.Device"

    /// Finds fprintd, which the bus starts where it does not run.
    init(address: String?, limits: FingerprintLimits, stop: Int32) throws(FingerprintInterruption) {
        do { bus = try BusConversation(address: address) } catch { throw .obstacle(.noBus) }
        self.limits = limits
        self.stop = stop
        // Before the owner is asked for, so that no change of it is missed.
        _ = try askDriver(
            "AddMatch",
            "type='signal',sender='\(MessageBus.driver)',interface='\(MessageBus.driver)',member='NameOwnerChanged',arg0='\(Self.name)'"
        )
        // The bus starts what it has a file for, and knows of nothing else that runs already.
        var found = try findOwner()
        if found == nil {
            do {
                let start = BusQuestion.ofDriver("StartServiceByName", [.string(Self.name), .uint32(0)])
                _ = try wait(for: start, from: MessageBus.driver, within: limits.start, stop: stop)
            } catch {
                throw Self.isRefusal(error) ? .obstacle(.noService) : interruption(error)
            }
            found = try findOwner()
        }
        guard let found else { throw .obstacle(.noService) }
        guard found.count == 1, case .string(let unique) = found[0], unique.hasPrefix(":") else {
            throw .obstacle(.misbehaving)
        }
        guard try askDriver("GetConnectionUnixUser", unique) == [.uint32(0)] else { throw .obstacle(.untrustedService) }
        owner = unique
    }

    /// nil where no process owns fprintd's name.
    private func findOwner() throws(FingerprintInterruption) -> [BusValue]? {
        do {
            return try wait(
                for: .ofDriver("GetNameOwner", [.string(Self.name)]),
                from: MessageBus.driver,
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
        guard answer.count == 1, case .path(let path) = answer[0] else { throw .obstacle(.misbehaving) }
        return path
    }

    func checkEnrolled(_ user: String, on device: String) throws(FingerprintInterruption) {
        guard UserName.isUsable(user) else { throw .obstacle(.unusableName) }
        let answer = try ask(device, Self.device, "ListEnrolledFingers", [user])
        guard answer.count == 1, case .array(of: "s", let fingers) = answer[0] else { throw .obstacle(.misbehaving) }
        if fingers.isEmpty { throw .obstacle(.nothingEnrolled) }
    }

    func kind(of device: String) throws(FingerprintInterruption) -> FingerprintKind {
        let answer = try ask(device, "org.freedesktop.DBus.Properties", "Get", [Self.device, "scan-type"])
        return answer == [.variant(.string("swipe"))] ? .swipe : .press
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
                for: BusQuestion(owner, device, Self.device, "Claim", [.string(user)]),
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
                for: BusQuestion(owner, device, Self.device, "VerifyStart", [.string("any")]),
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

    private func nextStatus(
        of device: String,
        end: UInt64
    ) throws(FingerprintInterruption) -> (text: String, isDone: Bool) {
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
            if case .signal(let signal) = message, signal.sender == owner, signal.path == device,
                signal.interface == Self.device, signal.member == "VerifyStatus", signal.arguments.count == 2,
                case .string(let text) = signal.arguments[0], case .bool(let isDone) = signal.arguments[1]
            {
                return (text, isDone)
            }
        }
    }

    /// What a status says; nil where the verification goes on.
    private func verdict(
        of status: (text: String, isDone: Bool),
        hear: (FingerprintMessage) -> Void
    ) throws(FingerprintInterruption) -> FingerprintVerdict? {
        switch status {
        case ("verify-match", true): return .matched
        case ("verify-no-match", true): return .noMatch
        case ("verify-disconnected", _): throw .obstacle(.readerLost)
        case ("verify-retry-scan", false): hear(.retry)
        case ("verify-swipe-too-short", false): hear(.swipeTooShort)
        case ("verify-finger-not-centered", false): hear(.notCentered)
        case ("verify-remove-and-retry", false): hear(.removeAndRetry)
        // Also a match that is not done: a service that says this violates the interface, and may be done all the same.
        default: if status.isDone { throw .obstacle(.failed) }
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
                        for: BusQuestion(owner, device, Self.device, "VerifyStop"),
                        from: owner,
                        // Also the release shall be tried.
                        end: BusConversation.end(of: limits.end / 2),
                        stop: -1
                    )
                } catch {
                    if case .lost = error { return }
                }
            }
            _ = try wait(for: BusQuestion(owner, device, Self.device, "Release"), from: owner, end: end, stop: -1)
        } catch {
            return
        }
    }

    // MARK: - Asking

    private func askDriver(_ member: String, _ text: String) throws(FingerprintInterruption) -> [BusValue] {
        do {
            return try wait(
                for: .ofDriver(member, [.string(text)]),
                from: MessageBus.driver,
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
    ) throws(FingerprintInterruption) -> [BusValue] {
        do {
            return try wait(
                for: BusQuestion(owner, path, interface, member, texts.map(BusValue.string)),
                from: owner,
                within: limits.answer,
                stop: stop
            )
        } catch {
            throw interruption(error)
        }
    }

    private func wait(
        for call: BusQuestion,
        from destination: String,
        within limit: Duration,
        stop: Int32
    ) throws(AnswerFailure) -> [BusValue] {
        try wait(for: call, from: destination, end: BusConversation.end(of: limit), stop: stop)
    }

    /// The answer to a call. Drops what else comes, unless fprintd is lost with it.
    private func wait(
        for call: BusQuestion,
        from destination: String,
        end: UInt64,
        stop: Int32
    ) throws(AnswerFailure) -> [BusValue] {
        let number = try bus.send(call)
        while true {
            let message = try bus.receive(stop: stop, end: end)
            try checkOwner(message)
            guard case .answer(number, let sender, let result) = message else { continue }
            switch result {
            case .success(let values) where sender == destination: return values
            // The bus refuses in its own name what it does not deliver.
            case .failure(let error) where sender == destination || sender == MessageBus.driver:
                throw .refused(error.name)
            default: continue
            }
        }
    }

    /// Notices that fprintd's name has another owner, or none.
    private func checkOwner(_ message: BusMessage) throws(AnswerFailure) {
        guard !owner.isEmpty, case .signal(let signal) = message, signal.sender == MessageBus.driver,
            signal.member == "NameOwnerChanged", signal.arguments.count == 3,
            case .string(Self.name) = signal.arguments[0], case .string(let new) = signal.arguments[2]
        else { return }
        // Changes from before it was found may still be on their way here.
        if new != owner { throw .lost }
    }

    private static func isRefusal(_ failure: AnswerFailure) -> Bool {
        if case .refused = failure { true } else { false }
    }

    private func interruption(_ failure: AnswerFailure) -> FingerprintInterruption {
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
        case "": .misbehaving
        default: .failed
        }
    }
}
