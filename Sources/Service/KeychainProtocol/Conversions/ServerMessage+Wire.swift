import Foundation
import KeychainMessages
import KeychainModel

extension WireServerFrame {
    init(_ message: ServerMessage) {
        self.init()
        switch message {
        case .hello(let hello):
            self.hello.nonce = Data(hello.nonce)
            self.hello.oldestVersion = hello.versions.lowerBound
            self.hello.newestVersion = hello.versions.upperBound
        case .welcome(let identity): welcome.identity = WireIdentity(identity)
        case .refusal(let error): refusal.error = WireError(error)
        case .response(let response): self.response = WireResponse(response)
        case .event(let event): self.event = WireEvent(event)
        }
    }
}

extension ServerMessage {
    init(_ wire: WireServerFrame) throws(KeychainError) {
        switch wire.body {
        case .hello(let hello): self = .hello(try Hello(hello))
        case .welcome(let welcome): self = .welcome(try ServiceIdentity(welcome.identity))
        case .refusal(let refusal): self = .refusal(KeychainError(refusal.error))
        case .response(let response): self = .response(try Response(response))
        case .event(let event): self = .event(try KeychainEvent(event))
        case nil: throw KeychainError(.invalidParameter, "a frame is no message that this version knows")
        }
    }
}

extension Hello {
    init(_ wire: WireHello) throws(KeychainError) {
        guard wire.nonce.count == 32, wire.oldestVersion <= wire.newestVersion else {
            throw KeychainError(.invalidParameter, "the service says hello in a way that no version does")
        }
        self.init(nonce: Array(wire.nonce), versions: wire.oldestVersion...wire.newestVersion)
    }
}

extension WireIdentity {
    init(_ identity: ServiceIdentity) {
        self.init()
        name = identity.name
        accessGroups = identity.groups
        kind = Kind(identity.kind)
        mode = identity.mode.rawValue
        deficiencies = identity.deficiencies
        if let group = identity.ownGroup { ownGroup = group }
    }
}

extension ServiceIdentity {
    init(_ wire: WireIdentity) throws(KeychainError) {
        self.init(
            name: wire.name,
            groups: wire.accessGroups,
            ownGroup: wire.hasOwnGroup ? wire.ownGroup : nil,
            kind: try Kind(wire.kind),
            mode: try Mode(wire: wire.mode),
            deficiencies: wire.deficiencies
        )
    }
}

extension WireResponse {
    init(_ response: Response) {
        self.init()
        id = response.id
        hasMore_p = response.hasMore
        switch response.body {
        case .outcome(let outcome): self.outcome = WireOutcome(outcome)
        case .batch(let outcomes): batch.outcomes = outcomes.map { WireOutcome($0) }
        case .identity(let identity): self.identity = WireIdentity(identity)
        case .status(let status): self.status = WireStatus(status)
        case .backup(let part): backup = WireBackupPart(part)
        case .restore(let step): restore = WireRestoreStep(step)
        case .prompting: prompting = WirePrompting()
        case .presence(let status): presence = WirePresenceStatus(status)
        case .circle(let answer): circle = WireCircleAnswer(answer)
        case .question(let question): circle = WireCircleAnswer(question)
        case .round(let report): circle = WireCircleAnswer(report)
        }
    }
}

extension Response {
    init(_ wire: WireResponse) throws(KeychainError) {
        let body: Body
        switch wire.body {
        case .outcome(let outcome): body = .outcome(try OperationOutcome(outcome))
        case .batch(let batch):
            body = .batch(try batch.outcomes.map { (outcome) throws(KeychainError) in try OperationOutcome(outcome) })
        case .identity(let identity): body = .identity(try ServiceIdentity(identity))
        case .status(let status): body = .status(try ServiceStatus(status))
        case .backup(let part): body = .backup(try BackupPart(part))
        case .restore(let step): body = .restore(try RestoreStep(step))
        case .prompting: body = .prompting
        case .presence(let status): body = .presence(PresenceStatus(status))
        case .circle(let answer): body = try Body(answer)
        case nil: throw KeychainError(.invalidParameter, "the service answers what this version does not know")
        }
        self.init(id: wire.id, hasMore: wire.hasMore_p, body: body)
    }
}

extension WireStatus {
    init(_ status: ServiceStatus) {
        self.init()
        version = status.version
        mode = status.mode.rawValue
        uptimeSeconds = status.uptime
        connections = UInt64(clamping: status.connections)
        metrics = status.numbers.mapValues(Double.init)
    }
}

extension ServiceStatus {
    /// Beyond this, not every whole number can be told.
    private static let largestNumber: Double = 9_007_199_254_740_992

    init(_ wire: WireStatus) throws(KeychainError) {
        for number in wire.metrics.values + [wire.uptimeSeconds] {
            // Which is false for what is no number, too.
            guard number >= 0 else {
                throw KeychainError(.invalidParameter, "the service counts with something else than numbers")
            }
        }
        self.init(
            version: wire.version,
            mode: try ServiceIdentity.Mode(wire: wire.mode),
            uptime: min(wire.uptimeSeconds, Self.largestNumber),
            connections: Int(clamping: wire.connections)
        )
        take(wire.metrics.mapValues { Int(min($0, Self.largestNumber)) })
    }
}
