import KeychainModel
import MessageBus
import SecretServiceModel
import Terminal

/// Copies everything from another Secret Service.
struct SecretsImport {
    struct Report {
        var collections = 0
        var items = 0
        /// The labels of collections by their other names, as far as this keychain did not have them.
        var aliases: [(name: String, label: String)] = []
        /// What was not taken, and why.
        var left: [String] = []
    }

    private let source: ForeignSecrets
    private let secrets: KeychainSecrets
    /// Names of collections to ask for.
    private let named: [String]

    init(from source: ForeignSecrets, to secrets: KeychainSecrets, aliases named: [String] = []) {
        self.source = source
        self.secrets = secrets
        self.named = named
    }

    func run() throws -> Report {
        var report = Report()
        do {
            let paths = try source.collections()
            let aliases = try source.aliases(named)
            let ids = Self.ids(of: paths, aliases)
            var copied: Set<String> = []
            for path in paths {
                guard try source.unlock(path) else {
                    report.left.append("\(path): it is locked")
                    continue
                }
                guard try copy(path, to: ids[path] ?? path, &report) else { continue }
                copied.insert(path)
                report.collections += 1
            }
            try keep(aliases.filter { copied.contains($0.value) }.compactMapValues { ids[$0] }, &report)
            for name in named where aliases[name] == nil { report.left.append("the alias \(name): there is none") }
        } catch let failure as BusError {
            throw Failure("the Secret Service cannot be read: \(failure.text)")
        } catch let failure as BusFailure {
            throw Failure("the session's bus is gone: \(failure.text)")
        }
        return report
    }

    /// What the collections are called here. The one that people log in with becomes `login`, which is always there; where
    /// there is none of that name, the one that programs use which name none.
    private static func ids(of paths: [String], _ aliases: [String: String]) -> [String: String] {
        let login = aliases["login"] ?? paths.first { $0.hasSuffix("/login") } ?? aliases["default"]
        var ids: [String: String] = [:]
        for path in paths {
            let own = path.split(separator: "/").last.map(String.init) ?? ""
            // The session's collection is in memory, and has this name here.
            ids[path] = path == login ? "login" : own == "login" || own == "session" || own.isEmpty ? own + "_1" : own
        }
        return ids
    }

    private func keep(_ aliases: [String: String], _ report: inout Report) throws {
        let stored = try secrets.load()
        for (name, id) in aliases.sorted(by: { $0.key < $1.key }) {
            let present = stored.aliases[name] ?? (name == "default" || name == "login" ? "login" : nil)
            guard present != id else { continue }
            // Programs that use the alias would store elsewhere from now on, where nobody is asked.
            if let present, stored.collections.contains(where: { $0.id == present && $0.isProtected }) {
                report.left.append(
                    "the alias \(name): it is a protected collection's; chatelaine secrets unprotect \(present)"
                )
                continue
            }
            if case .failure(let error) = secrets.answer(.saveAlias(name, collection: id)) {
                report.left.append("the alias \(name): \(error.message)")
                continue
            }
            report.aliases.append((name, stored.collections.first { $0.id == id }?.label ?? id))
        }
    }

    /// - Returns: whether the collection was taken, though perhaps without some items.
    private func copy(_ path: String, to id: String, _ report: inout Report) throws -> Bool {
        let label = try source.label(ofCollection: path)
        // Else items would come into it that do not demand the owner.
        if let own = try secrets.load().collections.first(where: { $0.id == id }), own.isProtected {
            report.left.append("\(path): “\(own.label)” is protected here; chatelaine secrets unprotect \(id)")
            return false
        }
        try secrets.take(StoredCollection(id: id, label: label))
        let stored = try secrets.load()
        var present = PresentItems(stored.items.lazy.filter { $0.id.collection == id })
        let collection = path
        for path in try source.items(of: collection) {
            do {
                let item = try source.item(path)
                let same = present.take(item.details.attributes, label: item.label)
                let taken = same ?? SecretItemID(collection: id, item: Self.randomIdentifier())
                try write(item, to: taken, isNew: same == nil, key: stored)
                report.items += 1
            } catch let failure as BusError {
                // What was there for a moment, or was deleted meanwhile, is not missed.
                guard try source.items(of: collection).contains(path) else { continue }
                report.left.append("\(path): \(failure.text)")
            } catch let error as KeychainError {
                report.left.append("\(path): \(error.message)")
            }
        }
        return true
    }

    /// Writes an item, and reads it back.
    private func write(_ item: ForeignSecrets.Item, to id: SecretItemID, isNew: Bool, key stored: StoredSecrets) throws
    {
        let blind = BlindAttributes(item.details.attributes, key: stored.key)
        let request: StoreRequest =
            if isNew {
                .add(
                    NewSecret(
                        id: id,
                        label: item.label,
                        details: item.details,
                        blind: blind,
                        secret: item.secret,
                        isProtected: false
                    )
                )
            } else {
                .change(
                    id,
                    SecretChange(label: item.label, details: item.details, blind: blind, secret: item.secret),
                    AccessReason(client: "")
                )
            }
        if case .failure(let error) = secrets.answer(request) { throw error }
        let read = secrets.answer(.read([id], AccessReason(client: "")))
        guard case .secrets(let found) = read, found[id].map({ Self.isEqual($0, item.secret) }) ?? false else {
            throw KeychainError(.internalError, "what was written cannot be read back")
        }
    }

    private static func isEqual(_ left: SecretBytes, _ right: SecretBytes) -> Bool {
        unsafe left.withUnsafeBytes { left in unsafe right.withUnsafeBytes { unsafe left.elementsEqual($0) } }
    }

    private static func randomIdentifier() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
