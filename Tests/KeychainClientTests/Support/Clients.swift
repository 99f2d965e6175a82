import KeychainClient
import KeychainModel
import KeychainProtocol
import KeychainTestSupport

extension Deadlines {
    /// For services that never answer: long enough for those that do.
    static var short: Deadlines {
        var deadlines = Deadlines()
        deadlines.handshake = .milliseconds(300)
        deadlines.request = .milliseconds(600)
        deadlines.restart = .milliseconds(200)
        return deadlines
    }
}

extension FakeService {
    func client(_ deadlines: Deadlines = Deadlines()) -> ServiceConnection {
        ServiceConnection(ServiceAddress(path: path, kind: .session), deadlines: deadlines)
    }
}

extension ServiceConnection {
    /// A search that asks for one password of anybody.
    @discardableResult
    func findAny() throws(KeychainError) -> [FoundItem] {
        try find(FindRequest(query: ItemQuery(itemClass: .genericPassword)))
    }

    func addAny() throws(KeychainError) {
        _ = try add(AddRequest(itemClass: .genericPassword))
    }
}

extension Request {
    /// Of its operation, if it is one.
    var action: KeychainOperation.Action? {
        if case .operation(let operation) = self { operation.action } else { nil }
    }
}

/// What a service that has nothing answers.
func nothing(_ request: Request) -> Response.Body {
    switch request {
    case .operation(let operation):
        [nil, .added].contains(operation.traits.change) ? .outcome(.items([])) : .outcome(.count(0))
    case .batch(let operations), .transaction(let operations): .batch(operations.map { _ in .count(0) })
    case .onBehalf(_, let request): nothing(request)
    case .identity: .identity(FakeConnection.me)
    case .status:
        .status(ServiceStatus(version: "1", mode: .session, uptime: 0, connections: 1))
    default: .outcome(.failed(KeychainError(.unimplemented, "nothing")))
    }
}

/// An item whose value is so many bytes.
func item(ofSize size: Int) -> FoundItem {
    FoundItem(
        reference: PersistentReference(itemClass: .genericPassword, uuid: ItemUUID()),
        attributes: AttributeList(),
        accessControl: AccessControl(bare: .whenUnlocked),
        secrets: [.valueData: SecretBytes([UInt8](repeating: 1, count: size))],
        sha1: nil
    )
}
