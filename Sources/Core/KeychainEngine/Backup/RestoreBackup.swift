import EnclaveInterface
package import KeychainBackup
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainEngine {
    /// Puts the items of a backup into the keychain: all that it takes, or nothing.
    ///
    /// - Parameter file: is read twice: whole, to be sure of it, and then for its items.
    /// - Throws: `authenticationFailed` where the owner has not allowed it, or the origin is unknown and not accepted;
    ///   `undecodable` for a backup that is cut short, damaged or something else; `interactionNotAllowed` while a class
    ///   is locked of which there are items, and where one is locked meanwhile; `diskFull`. Then nothing has changed.
    package func restore(_ request: RestoreRequest, from file: some BackupFile) throws(KeychainError) -> RestoreReport {
        try vault.refresh()
        return try restore(request, from: file, with: policy.authorizeRestore(request.token, by: vault.enclave))
    }

    func restore(
        _ request: RestoreRequest,
        from file: some BackupFile,
        with authorization: AuthorizedRestore
    ) throws(KeychainError) -> RestoreReport {
        let watch = LockWatch(vault)
        let header = try verify(file, fileKey: request.fileKey, watch: watch)
        let origin = try origin(ofBackupsBy: header.signer)
        guard origin != .unknown || request.acceptsOrigin || request.isDryRun else {
            throw KeychainError(
                .authenticationFailed,
                "nobody knows who made the backup, and it may hold anything; if you trust it, accept its origin"
            )
        }
        var box: DeviceBox?
        if origin == .thisDevice {
            box = DeviceBox(key: try vault.enclave.deviceKey(ofBackup: header.backup), backup: header.backup)
        }
        return try apply(file, by: header.signer, request: request) { transaction in
            Restoration(
                engine: self,
                transaction: transaction,
                authorization: authorization,
                watch: watch,
                rule: request.rule,
                report: RestoreReport(origin: origin),
                listsItems: request.isDryRun,
                box: box
            )
        }
    }

    /// Reads a backup to its end, and does nothing with it.
    private func verify(
        _ file: some BackupFile,
        fileKey: FileKey,
        watch: LockWatch
    ) throws(KeychainError) -> BackupHeader {
        let source = try file.source()
        do throws(BackupFailure) {
            var reader = try BackupReader(source, fileKey: fileKey)
            while try reader.next() != nil {
                try BackupFailure.translating { () throws(KeychainError) in try watch.check() }
            }
            return reader.header
        } catch {
            throw error.keychainError
        }
    }

    private func apply(
        _ file: some BackupFile,
        by signer: [UInt8],
        request: RestoreRequest,
        _ begin: @escaping (WriteTransaction) -> Restoration
    ) throws(KeychainError) -> RestoreReport {
        var report: RestoreReport?
        do throws(KeychainError) {
            // The body may run again, and begins anew then: with the newest keys too.
            try write { () throws(KeychainError) in
                { (transaction) throws(KeychainError) in
                    var restoration = begin(transaction)
                    try restoration.run(file, fileKey: request.fileKey)
                    report = restoration.report
                    // What was tried is undone with the transaction.
                    if request.isDryRun { throw Self.dryRun }
                    // Before the items are there: nothing may fail after them.
                    if request.acceptsOrigin, restoration.report.origin == .unknown { try self.origins.insert(signer) }
                }
            }
        } catch {
            guard request.isDryRun, error.message == Self.dryRun.message else { throw error }
        }
        guard let report else { throw KeychainError(.internalError, "a restoration had no result") }
        return report
    }

    private static let dryRun = KeychainError(.userCanceled, "a dry run is over")
}

/// One restoration within one transaction.
private struct Restoration {
    let engine: KeychainEngine
    let transaction: WriteTransaction
    let authorization: AuthorizedRestore
    let watch: LockWatch
    let rule: ConflictRule
    var report: RestoreReport
    let listsItems: Bool
    let box: DeviceBox?
    private var waiting: [AuthorizedRestoredItem] = []
    private var waitingSize = 0

    private static let batch = 256
    private static let largestBatch = 4 << 20

    init(
        engine: KeychainEngine,
        transaction: WriteTransaction,
        authorization: AuthorizedRestore,
        watch: LockWatch,
        rule: ConflictRule,
        report: RestoreReport,
        listsItems: Bool,
        box: DeviceBox?
    ) {
        self.engine = engine
        self.transaction = transaction
        self.authorization = authorization
        self.watch = watch
        self.rule = rule
        self.report = report
        self.listsItems = listsItems
        self.box = box
    }

    mutating func run(_ file: some BackupFile, fileKey: FileKey) throws(KeychainError) {
        let source = try file.source()
        do throws(BackupFailure) {
            var reader = try BackupReader(source, fileKey: fileKey)
            // To its end once more: it is a file, and may have been changed since it was verified.
            while let record = try reader.next() { try take(record) }
            try settle()
        } catch {
            throw error.keychainError
        }
    }

    private mutating func take(_ record: BackupRecord) throws(BackupFailure) {
        switch record {
        case .item(let item): try take(item)
        case .deviceItem(let sealed, let number):
            guard let item = box?.open(sealed, number: number) else { return note(nil, .otherDevice) }
            try take(item)
        }
    }

    private mutating func take(_ item: BackupItem) throws(BackupFailure) {
        do throws(KeychainError) {
            waiting.append(try engine.policy.authorize(item, with: authorization))
        } catch {
            return note(item, .refused)
        }
        waitingSize += item.secrets.values.reduce(1024) { $0 + $1.count }
        if waiting.count == Self.batch || waitingSize > Self.largestBatch { try settle() }
    }

    private mutating func settle() throws(BackupFailure) {
        do throws(KeychainError) {
            try watch.checkAnew()
            for item in try engine.vault.seal(waiting) { note(item.authorized.item, try place(item)) }
        } catch {
            throw .failed(error)
        }
        waiting.removeAll(keepingCapacity: true)
        waitingSize = 0
    }

    private mutating func note(_ item: BackupItem?, _ outcome: RestoreOutcome) {
        report.counts[outcome, default: 0] += 1
        guard listsItems else { return }
        report.items.append(
            RestoredItem(
                itemClass: item?.itemClass,
                accessGroup: item?.accessGroup ?? "",
                title: item?.title ?? "",
                outcome: outcome
            )
        )
    }

    // MARK: - One item

    /// What stands where a restored item is to be.
    private enum Obstacle {
        case live(OpenedItem, OpenedSecrets)
        case tombstone
        case damaged
    }

    /// Writes an item, or leaves what is there.
    private func place(_ new: SealedRestoredItem) throws(KeychainError) -> RestoreOutcome {
        let row = new.sealed.row
        var obstacles: [(stored: StoredItem, kind: Obstacle)] = []
        if let namesake = try transaction.collision(with: new.sealed) {
            obstacles.append((namesake, try obstacle(namesake)))
        }
        // The same item, which may have another name now.
        if let same = try transaction.row(row.uuid, of: row.itemClass),
            !obstacles.contains(where: { $0.stored.rowNumber == same.rowNumber })
        {
            obstacles.append((same, try obstacle(same)))
        }
        var outcome = RestoreOutcome.added
        for case (_, .live(let item, let secrets)) in obstacles {
            guard wins(new, over: item, secrets) else { return .kept }
            outcome = .replaced
        }
        for (stored, kind) in obstacles {
            // A damaged row keeps its bytes, unless what it was comes back now.
            if case .damaged = kind, stored.row.uuid != row.uuid {
                try transaction.setAside(stored)
            } else {
                try engine.remove(stored, in: transaction)
            }
        }
        try transaction.insert(new.sealed)
        return outcome
    }

    private func obstacle(_ stored: StoredItem) throws(KeychainError) -> Obstacle {
        do throws(KeychainError) {
            let item = try engine.vault.open(stored.row, for: authorization)
            return item.row.isTombstone ? .tombstone : .live(item, try engine.vault.openSecrets(of: item))
        } catch {
            guard error.code == .undecodable else { throw error }
            return .damaged
        }
    }

    private func wins(_ new: SealedRestoredItem, over item: OpenedItem, _ secrets: OpenedSecrets) -> Bool {
        let order = Self.order(of: new.authorized.item.attributes, item.attributes)
        // Every device decides alike, or they would never agree.
        if new.sealed.row.isSynchronizable, item.row.isSynchronizable {
            return order > 0 || order == 0 && Self.precedes(new.authorized.item, BackupItem(item, secrets: secrets))
        }
        return switch rule {
        case .newer: order > 0
        case .keep: false
        case .replace: true
        }
    }

    /// Whether an item is current, and not the other one of the same time.
    private static func precedes(_ item: BackupItem, _ other: BackupItem) -> Bool {
        SyncItemCodec.digest(of: item).lexicographicallyPrecedes(SyncItemCodec.digest(of: other))
    }

    /// 1 where the first was modified later, -1 where the second was.
    private static func order(of first: AttributeList, _ second: AttributeList) -> Int {
        guard case .date(let first) = first[.modificationDate], case .date(let second) = second[.modificationDate]
        else {
            return 0
        }
        return first > second ? 1 : first < second ? -1 : 0
    }
}
