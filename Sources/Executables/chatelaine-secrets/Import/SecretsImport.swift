import KeychainModel
import SecretServiceModel
import SessionBus

/// Copies everything from another Secret Service.
struct SecretsImport {
    struct Report {
        var collections = 0
        var items = 0
        /// What was not taken, and why.
        var left: [String] = []
    }

    private let source: ForeignSecrets
    private let secrets: KeychainSecrets

    init(from source: ForeignSecrets, to secrets: KeychainSecrets) {
        self.source = source
        self.secrets = secrets
    }

    func run() throws -> Report {
        var report = Report()
        do {
            let paths = try source.collections()
            for path in paths {
                guard try source.unlock(path) else {
                    report.left.append("\(path): it is locked")
                    continue
                }
                try copy(path, isLogin: path == (try source.alias("default")) || path.hasSuffix("/login"), &report)
                report.collections += 1
            }
        } catch let failure as BusCallFailure {
            throw Failure("the Secret Service cannot be read: \(failure.text)")
        } catch let failure as SessionBusFailure {
            throw Failure("the session's bus is gone: \(failure.text)")
        }
        return report
    }

    /// - Parameter isLogin: whether it is the collection that programs use which name none.
    private func copy(_ path: String, isLogin: Bool, _ report: inout Report) throws {
        let label = try source.label(ofCollection: path)
        let id = isLogin ? "login" : path.split(separator: "/").last.map(String.init) ?? label
        try secrets.save(StoredCollection(id: id, label: label))
        let stored = try secrets.load()
        var present: [SecretItemID: SecretAttributes] = [:]
        for item in stored.items where item.id.collection == id { present[item.id] = item.details?.attributes }
        for path in try source.items(of: path) {
            do {
                let item = try source.item(path)
                let same = present.first { $0.value == item.details.attributes }?.key
                let taken = SecretItemID(collection: id, item: same?.item ?? Self.randomIdentifier())
                try write(item, to: taken, isNew: same == nil, key: stored)
                // A duplicate at the source stays one.
                present[taken] = nil
                report.items += 1
            } catch let failure as BusCallFailure {
                report.left.append("\(path): \(failure.text)")
            } catch let error as KeychainError {
                report.left.append("\(path): \(error.message)")
            }
        }
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
                    SecretChange(label: item.label, details: item.details, blind: blind, secret: item.secret)
                )
            }
        if case .failure(let error) = secrets.answer(request) { throw error }
        let read = secrets.answer(.read([id], ReadReason(client: "", collection: "", isProtected: false)))
        guard case .secrets(let found) = read, found[id].map({ Self.isEqual($0, item.secret) }) ?? false else {
            throw KeychainError(.internalError, "what was written cannot be read back")
        }
    }

    private static func isEqual(_ left: SecretBytes, _ right: SecretBytes) -> Bool {
        unsafe left.withUnsafeBytes { left in unsafe right.withUnsafeBytes { unsafe left.elementsEqual($0) } }
    }

    private static func randomIdentifier() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
