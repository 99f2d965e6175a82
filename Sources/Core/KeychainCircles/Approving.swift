package import KeychainModel
package import KeychainSync

/// A member's part in the ceremony that brings a device into its circle.
package struct Approving: Sendable {
    private let keychain: any CircleService
    private let circle: CircleID
    private let request: JoinRequest
    private var isRevealed = false

    /// The requests that no member has answered, by their numbers.
    package static func requests(
        to keychain: some CircleService,
        over transport: some SyncTransport
    ) throws(KeychainError) -> [String] {
        let circle = try keychain.status().circle
        return try open(in: circle, over: transport).map { String($0.text.prefix(8)) }
    }

    private static func open(
        in circle: CircleID,
        over transport: some SyncTransport
    ) throws(KeychainError) -> [SyncName] {
        let names = try CircleFailure.translating { try transport.list(.join, in: circle) }
        var steps: [SyncName: Set<UInt8>] = [:]
        for case .join(let ceremony, let step) in names { steps[ceremony, default: []].insert(step) }
        return steps.filter { $0.value == [1] }.keys.sorted()
    }

    /// Answers a request.
    ///
    /// - Parameter number: of the request, as the newcomer shows it; nil for the only one.
    /// - Throws: `itemNotFound` for none, `duplicateItem` for more than one.
    package init(
        by keychain: some CircleService,
        number: String?,
        over transport: some SyncTransport
    ) throws(KeychainError) {
        let circle = try keychain.status().circle
        let open = try Self.open(in: circle, over: transport).filter { $0.text.hasPrefix(number ?? "") }
        guard let ceremony = open.first else {
            throw KeychainError(.itemNotFound, "no device asks to be added")
        }
        guard open.count == 1 else {
            throw KeychainError(.duplicateItem, "\(open.count) devices ask to be added; name one by its number")
        }
        let bytes = try CircleFailure.translating { try transport.read(.join(ceremony, step: 1), in: circle) }
        guard let bytes, let request = try? JoinRequest(bytes), request.ceremony == ceremony else {
            throw KeychainError(.undecodable, "what asks to be added is no request of a device")
        }
        self.keychain = keychain
        self.circle = circle
        self.request = request
        let answer = try keychain.answer(request)
        try CircleFailure.translating {
            try transport.write(answer.encoded, as: .join(ceremony, step: 2), in: circle)
        }
    }

    package var number: String { String(request.ceremony.text.prefix(8)) }

    /// Takes what the newcomer reveals, if it is there.
    ///
    /// - Returns: whether the enclave waits for the newcomer's digits now.
    package mutating func takeReveal(over transport: some SyncTransport) throws(KeychainError) -> Bool {
        if isRevealed { return true }
        let bytes = try CircleFailure.translating {
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
        let bytes = try CircleFailure.translating {
            try transport.read(.join(request.ceremony, step: 4), in: circle)
        }
        guard let bytes, let consent = try? JoinConsent(bytes), consent.ceremony == request.ceremony else {
            return false
        }
        try keychain.add(request.card, consent)
        return true
    }
}
