package import EnclaveInterface
package import KeychainModel
package import KeychainSync
import KeychainVault

/// A device's part in the ceremony that brings it into a circle, over a transport. Each step does what can be done now, and waits
/// for nobody.
package struct Joining: Sendable {
    private let keychain: KeychainCircle
    package let circle: CircleID
    private let request: JoinRequest
    private var answer: JoinAnswer?

    /// Asks the circle's members to be added.
    ///
    /// - Throws: `duplicateItem` where the keychain belongs to a circle, or a ceremony is under way.
    package init(
        of keychain: KeychainCircle,
        to circle: CircleID,
        over transport: some SyncTransport
    ) throws(KeychainError) {
        self.keychain = keychain
        self.circle = circle
        request = try keychain.requestToJoin()
        try write(request.encoded, step: 1, over: transport)
    }

    /// What tells this request from others, on both devices: the first eight digits of its name.
    package var number: String { String(request.ceremony.text.prefix(8)) }

    private func write(_ bytes: [UInt8], step: UInt8, over transport: some SyncTransport) throws(KeychainError) {
        try KeychainCircle.translating {
            try transport.write(bytes, as: .join(request.ceremony, step: step), in: circle)
        }
    }

    /// Takes a member's answer, if it is there.
    ///
    /// - Returns: whether the enclave has digits to show now.
    package mutating func takeAnswer(over transport: some SyncTransport) throws(KeychainError) -> Bool {
        if answer != nil { return true }
        let bytes = try KeychainCircle.translating {
            try transport.read(.join(request.ceremony, step: 2), in: circle)
        }
        guard let bytes, let answer = try? JoinAnswer(bytes), answer.circle == circle,
            answer.ceremony == request.ceremony
        else { return false }
        let reveal = try keychain.take(answer)
        self.answer = answer
        try write(reveal.encoded, step: 3, over: transport)
        return true
    }

    /// Joins, once the owner has typed the member's digits.
    package func join(over transport: some SyncTransport) throws(KeychainError) {
        guard let answer else { throw KeychainError(.itemNotFound, "no member has answered") }
        let founding = try KeychainCircle.founding(of: circle, over: transport)
        let consent = try keychain.join(answer, founding: founding)
        try write(consent.encoded, step: 4, over: transport)
    }

    /// Takes the messages of the ceremony from the transport.
    package func clear(over transport: some SyncTransport) {
        for step in UInt8(1)...4 { try? transport.remove(.join(request.ceremony, step: step), in: circle) }
    }
}

/// A member's part in it.
package struct Approving: Sendable {
    private let keychain: KeychainCircle
    private let circle: CircleID
    private let request: JoinRequest
    private var isRevealed = false

    /// The requests that no member has answered, by their numbers.
    package static func requests(
        to keychain: KeychainCircle,
        over transport: some SyncTransport
    ) throws(KeychainError) -> [String] {
        guard let circle = try keychain.replica()?.circle.id else { throw KeychainCircle.noCircle }
        return try open(in: circle, over: transport).map { String($0.text.prefix(8)) }
    }

    private static func open(
        in circle: CircleID,
        over transport: some SyncTransport
    ) throws(KeychainError) -> [SyncName] {
        let names = try KeychainCircle.translating { try transport.list(.join, in: circle) }
        var steps: [SyncName: Set<UInt8>] = [:]
        for case .join(let ceremony, let step) in names { steps[ceremony, default: []].insert(step) }
        return steps.filter { $0.value == [1] }.keys.sorted()
    }

    /// Answers a request.
    ///
    /// - Parameter number: of the request, as the newcomer shows it; nil for the only one.
    /// - Throws: `itemNotFound` for none, `duplicateItem` for more than one.
    package init(
        by keychain: KeychainCircle,
        number: String?,
        over transport: some SyncTransport
    ) throws(KeychainError) {
        guard let circle = try keychain.replica()?.circle.id else { throw KeychainCircle.noCircle }
        let open = try Self.open(in: circle, over: transport).filter { $0.text.hasPrefix(number ?? "") }
        guard let ceremony = open.first else {
            throw KeychainError(.itemNotFound, "no device asks to be added")
        }
        guard open.count == 1 else {
            throw KeychainError(.duplicateItem, "\(open.count) devices ask to be added; name one by its number")
        }
        let bytes = try KeychainCircle.translating { try transport.read(.join(ceremony, step: 1), in: circle) }
        guard let bytes, let request = try? JoinRequest(bytes), request.ceremony == ceremony else {
            throw KeychainError(.undecodable, "what asks to be added is no request of a device")
        }
        self.keychain = keychain
        self.circle = circle
        self.request = request
        let answer = try keychain.answer(request)
        try KeychainCircle.translating {
            try transport.write(answer.encoded, as: .join(ceremony, step: 2), in: circle)
        }
    }

    package var number: String { String(request.ceremony.text.prefix(8)) }

    /// Takes what the newcomer reveals, if it is there.
    ///
    /// - Returns: whether the enclave waits for the newcomer's digits now.
    package mutating func takeReveal(over transport: some SyncTransport) throws(KeychainError) -> Bool {
        if isRevealed { return true }
        let bytes = try KeychainCircle.translating {
            try transport.read(.join(request.ceremony, step: 3), in: circle)
        }
        guard let bytes, let reveal = try? JoinReveal(bytes), reveal.ceremony == request.ceremony else { return false }
        try keychain.take(reveal)
        isRevealed = true
        return true
    }

    /// Adds the newcomer, once its owner has typed the digits there, too.
    ///
    /// - Returns: whether it was added.
    package func add(over transport: some SyncTransport) throws(KeychainError) -> Bool {
        let bytes = try KeychainCircle.translating {
            try transport.read(.join(request.ceremony, step: 4), in: circle)
        }
        guard let bytes, let consent = try? JoinConsent(bytes), consent.ceremony == request.ceremony else {
            return false
        }
        try keychain.add(request.card, consent)
        return true
    }
}

extension KeychainCircle {
    /// The first entry of a circle.
    static func founding(of circle: CircleID, over transport: some SyncTransport) throws(KeychainError) -> Entry {
        let bytes = try translating { try transport.read(.entry(circle), in: circle) }
        guard let bytes, let founding = try? Entry(bytes), founding.hash == circle else {
            throw KeychainError(.notAvailable, "the circle's first entry is not there, or not yet")
        }
        return founding
    }

    /// All entries of a circle that a transport has.
    private static func circle(_ id: CircleID, over transport: some SyncTransport) throws(KeychainError) -> Circle {
        let founding = try founding(of: id, over: transport)
        return try translating {
            var circle = try Circle(founding: founding)
            var entries: [Entry] = []
            for case .entry(let hash) in try transport.list(.entry, in: id).prefix(Circle.mostEntries * 2)
            where hash != founding.hash {
                guard let bytes = try transport.read(.entry(hash), in: id), let entry = try? Entry(bytes),
                    entry.hash == hash
                else { continue }
                entries.append(entry)
            }
            _ = circle.insert(entries)
            return circle
        }
    }

    /// The devices of a circle, with what their clocks said in the newest heads that a transport has, in milliseconds since 1970. With a
    /// recovery key nobody vouches for how new they are: the owner does.
    ///
    /// - Returns: no date for a device that has written no head.
    package static func heads(
        of id: CircleID,
        over transport: some SyncTransport
    ) throws(KeychainError) -> [(device: DeviceID, clock: UInt64?)] {
        let circle = try circle(id, over: transport)
        var clocks: [DeviceID: UInt64] = [:]
        try translating {
            for case .head(let journal) in try transport.list(.head, in: id).prefix(mostHeads) {
                guard let bytes = try transport.read(.head(journal), in: id), let head = try? Head(bytes),
                    let card = circle.state.members[head.contents.device], head.isSigned(by: card)
                else { continue }
                clocks[card.id] = max(clocks[card.id] ?? 0, head.contents.clock)
            }
        }
        let devices = circle.state.members.values.filter { $0.kind == .device }.map(\.id).sorted()
        return devices.map { ($0, clocks[$0]) }
    }

    /// Adds this device by the recovery key, where no other device is left.
    ///
    /// - Parameters:
    ///   - owner: of this device, whose enclave has digits typed also in this ceremony, in which the key plays the member.
    ///   - token: for `synchronize`.
    /// - Throws: `noPermission` for a key that does not belong to the circle.
    package func recover(
        _ id: CircleID,
        with key: RecoveryKey,
        over transport: some SyncTransport,
        owner: any EnclaveControl,
        token: AuthorizationToken
    ) throws(KeychainError) {
        let known = try Self.circle(id, over: transport)
        guard known.state.members[key.card.id] != nil else {
            throw KeychainError(
                .noPermission,
                "the recovery key belongs to another circle, or was removed from this one"
            )
        }
        let request = try requestToJoin()
        let clock = Self.clock
        try Self.translating {
            // An answer has a device's card: with the recovery key's own keys, since nothing else is done with it.
            let card = try DeviceCard(
                kind: .device,
                signingKey: key.card.signingKey,
                sealingKey: key.card.sealingKey
            )
            let answer = JoinAnswer(
                to: request,
                of: Replica(of: key.card.id, in: known, required: []),
                card: card,
                nonce: Self.nonce()
            )
            var member = try ApprovingMember(request, answering: answer, limit: JoinLimit(), clock: clock)
            try member.take(try self.take(answer), clock: Self.clock)
            let digits = try member.type(try owner.ceremony().digits, clock: Self.clock)
            _ = try owner.type(digits: SecretBytes(Array(digits.utf8)), with: token)
            let consent = try self.join(answer, founding: known.entries[0])
            let (newcomer, signature) = try member.take(consent, clock: Self.clock)
            let keys = RecoveryKeys(key)
            let added = try Replica.recover(newcomer, consent: signature, in: known, by: key.card.id, keys: keys)
            for entry in added { try transport.write(entry.encoded, as: .entry(entry.hash), in: id) }
        }
    }

    /// Takes the circle as it is here, although a device once read newer journals: the owner has decided that these are lost.
    package func acceptOlder() throws(KeychainError) {
        let done: Void? = try change { (replica, _) in replica.acceptOlder() }
        guard done != nil else { throw Self.noCircle }
    }

    private static func nonce() -> SyncHash {
        var random = SystemRandomNumberGenerator()
        return SyncHash((0..<SyncHash.size).map { _ in UInt8.random(in: .min ... .max, using: &random) }) ?? .zero
    }
}
