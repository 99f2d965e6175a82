import Crypto
import KeychainModel
import MessageBus
import SecretServiceModel
import Testing

/// The state machine with a keychain that is a dictionary. What a client gets is what the bus would bring it.
struct ModelKeychain {
    var service: SecretService
    var secrets: [SecretItemID: SecretBytes] = [:]
    /// What the keychain answers instead; for requests that fail or wait.
    var failure: KeychainError?
    /// Requests that nobody has answered yet, where `waits` is set.
    var waits = false
    private(set) var open: [(ticket: SecretService.Ticket, request: StoreRequest)] = []
    private(set) var signals: [BusSignal] = []
    private(set) var withdrawn: [SecretService.Ticket] = []
    /// Whether what a call has brought takes the secret that is written to it.
    var takesSecrets = true
    private(set) var given: [SecretBytes] = []
    /// What the owner was asked to unlock.
    private(set) var asked: [AccessReason] = []
    private var replies: [BusCall.ID: BusReply] = [:]
    private var lastCall: BusCall.ID = 0
    var now: UInt64 = 1_000

    static let root = "/org/freedesktop/secrets"
    static let login = root + "/collection/login"

    init(_ stored: StoredSecrets = StoredSecrets(key: SymmetricKey(size: .bits256))) {
        service = SecretService(stored)
    }

    // MARK: - Calls

    /// Calls a method as a client does.
    ///
    /// - Returns: nil where no answer has come yet.
    @discardableResult
    mutating func call(
        _ path: String,
        _ method: String,
        _ arguments: [BusValue] = [],
        from client: String = ":1.1"
    ) -> BusReply? {
        lastCall += 1
        let dot = method.lastIndex(of: ".") ?? method.startIndex
        let call = BusCall(
            id: lastCall,
            sender: client,
            path: path,
            interface: String(method[..<dot]),
            member: String(method[dot...].drop { $0 == "." }),
            arguments: arguments
        )
        take(service.receive(call, at: now))
        return replies.removeValue(forKey: lastCall)
    }

    mutating func portal(_ arguments: [BusValue], from client: String, owner: String?) -> BusReply? {
        lastCall += 1
        let call = BusCall(
            id: lastCall,
            sender: client,
            path: SecretService.portalPath,
            interface: SecretService.portalInterface,
            member: "RetrieveSecret",
            arguments: arguments
        )
        take(service.receivePortal(call, portal: owner, at: now))
        return replies.removeValue(forKey: lastCall)
    }

    mutating func left(_ client: String) { take(service.left(client)) }
    mutating func pass(_ seconds: UInt64) {
        now += seconds
        take(service.passed(to: now))
    }

    /// Answers what waits.
    mutating func answer(_ failure: KeychainError? = nil) {
        let waiting = open
        open = []
        for (ticket, request) in waiting {
            take(service.answered(ticket, failure.map(StoreResult.failure) ?? result(request), at: now))
        }
    }

    mutating func take(_ effects: [SecretService.Effect]) {
        for effect in effects {
            switch effect {
            case .reply(let id, let reply): replies[id] = reply
            case .signal(let signal): signals.append(signal)
            case .give(let id, let secret, let done, let refused):
                if takesSecrets { given.append(secret) }
                replies[id] = takesSecrets ? done : refused
            case .store(let ticket, let request, _):
                if waits {
                    open.append((ticket, request))
                } else {
                    let result = failure.map(StoreResult.failure) ?? result(request)
                    take(service.answered(ticket, result, at: now))
                }
            case .withdraw(let ticket): withdrawn.append(ticket)
            case .forget: break
            }
        }
    }

    private mutating func result(_ request: StoreRequest) -> StoreResult {
        switch request {
        case .read(let items, _):
            return .secrets(secrets.filter { items.contains($0.key) })
        case .add(let new):
            secrets[new.id] = new.secret
            return .stored(created: now, modified: now)
        case .change(let id, let change, _):
            if let secret = change.secret { secrets[id] = secret }
            return .stored(created: now, modified: now)
        case .remove(let items), .removeCollection(_, let items):
            for id in items { secrets[id] = nil }
            return .done
        case .confirm(let reason):
            asked.append(reason)
            return .done
        case .save, .rename, .saveAlias: return .done
        }
    }

    mutating func forgetSignals() { signals = [] }
    func signals(_ member: String) -> [BusSignal] { signals.filter { $0.member == member } }

    // MARK: - What clients do

    mutating func session(of client: String = ":1.1") throws -> String {
        let reply = call(Self.root, Service.openSession, [.string("plain"), .variant(.string(""))], from: client)
        guard case .values(let values) = reply, case .path(let path) = values.last else { throw Unexpected(reply) }
        return path
    }

    mutating func create(
        _ attributes: [(String, String)],
        _ secret: String = "secret",
        label: String = "label",
        in collection: String = login,
        session: String,
        replaces: Bool = false,
        from client: String = ":1.1"
    ) -> BusReply? {
        call(
            collection,
            Collection.createItem,
            [
                .properties([
                    ("org.freedesktop.Secret.Item.Label", .string(label)),
                    ("org.freedesktop.Secret.Item.Attributes", Self.attributes(attributes)),
                ]), Self.secret(secret, session), .bool(replaces),
            ],
            from: client
        )
    }

    static func attributes(_ attributes: [(String, String)]) -> BusValue {
        .array(of: "{ss}", attributes.map { .entry(.string($0.0), .string($0.1)) })
    }

    static func secret(_ text: String, _ session: String, type: String = "text/plain") -> BusValue {
        .structure([.path(session), .bytes([]), .bytes(Array(text.utf8)), .string(type)])
    }

    /// The unlocked and the locked items that have these attributes.
    mutating func search(_ attributes: [(String, String)]) throws -> (unlocked: [String], locked: [String]) {
        let reply = call(Self.root, Service.searchItems, [Self.attributes(attributes)])
        guard case .values(let values) = reply, values.count == 2 else { throw Unexpected(reply) }
        return (values[0].paths, values[1].paths)
    }

    mutating func secret(of item: String, session: String, from client: String = ":1.1") -> BusReply? {
        call(item, Item.getSecret, [.path(session)], from: client)
    }
}

struct Unexpected: Error {
    let reply: BusReply?
    init(_ reply: BusReply?) { self.reply = reply }
}

enum Service {
    static let openSession = "org.freedesktop.Secret.Service.OpenSession"
    static let createCollection = "org.freedesktop.Secret.Service.CreateCollection"
    static let searchItems = "org.freedesktop.Secret.Service.SearchItems"
    static let unlock = "org.freedesktop.Secret.Service.Unlock"
    static let lock = "org.freedesktop.Secret.Service.Lock"
    static let getSecrets = "org.freedesktop.Secret.Service.GetSecrets"
    static let readAlias = "org.freedesktop.Secret.Service.ReadAlias"
    static let setAlias = "org.freedesktop.Secret.Service.SetAlias"
}

enum Collection {
    static let createItem = "org.freedesktop.Secret.Collection.CreateItem"
    static let delete = "org.freedesktop.Secret.Collection.Delete"
    static let searchItems = "org.freedesktop.Secret.Collection.SearchItems"
}

enum Item {
    static let getSecret = "org.freedesktop.Secret.Item.GetSecret"
    static let setSecret = "org.freedesktop.Secret.Item.SetSecret"
    static let delete = "org.freedesktop.Secret.Item.Delete"
}

enum Prompt {
    static let prompt = "org.freedesktop.Secret.Prompt.Prompt"
    static let dismiss = "org.freedesktop.Secret.Prompt.Dismiss"
}

enum Properties {
    static let get = "org.freedesktop.DBus.Properties.Get"
    static let getAll = "org.freedesktop.DBus.Properties.GetAll"
    static let set = "org.freedesktop.DBus.Properties.Set"
}

extension BusValue {
    var paths: [String] {
        guard case .array(of: "o", let elements) = self else { return [] }
        return elements.compactMap { if case .path(let path) = $0 { path } else { nil } }
    }
}

extension BusReply? {
    var values: [BusValue] { if case .values(let values) = self { values } else { [] } }
    var error: String? { if case .failure(let error) = self { error.name } else { nil } }
    var path: String { if case .path(let path) = values.first { path } else { "" } }
    /// The secret in a reply to `GetSecret` over a plain session.
    var secret: String? {
        guard case .structure(let fields) = values.first, fields.count == 4, case .bytes(let bytes) = fields[2] else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
