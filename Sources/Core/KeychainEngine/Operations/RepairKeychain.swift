import EnclaveInterface
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault
import LocalEnclave
package import Logging

extension KeychainDirectory {
    /// Sets what is damaged aside and keeps the rest, while other processes may have the keychain open.
    ///
    /// Damaged rows in a sound database stay in their table, marked (decision 0006). A database whose pages, schema or
    /// header are damaged is replaced by a new one with every row that can be read and opens in all its parts; the
    /// damaged file stays beside it.
    ///
    /// - Throws: `notAvailable` for what cannot be mended: a lost or damaged keybag or device key, a missing database,
    ///   one of a newer version or of another keychain. Then nothing has changed.
    package func repair(log: Logger) throws(KeychainError) -> RepairReport {
        guard exists(path), try isAnythingThere() else {
            throw KeychainError(.notAvailable, "there is no keychain at \(path)")
        }
        try checkMode()
        let vault = try KeychainVault(enclave.open())
        let lock = try WriterLock(path: lockPath, patience: patience)
        let replaced = try lock.withLock { () throws(KeychainError) in
            try finishReplacement()
            guard exists(databasePath) else { throw KeychainError.missing(databasePath) }
            return try isSound(vault: vault) ? nil : try replaceDatabase(vault: vault)
        }
        if let replaced { return replaced }
        return try open(log: log).setDamagedRowsAside()
    }

    /// Whether the database is in order but for single rows.
    ///
    /// - Throws: `notAvailable` where it is another's, or of a newer version.
    private func isSound(vault: KeychainVault) throws(KeychainError) -> Bool {
        guard let inspection = try? DatabaseInspection(path: databasePath) else {
            if try DatabaseFile.isNewer(path: databasePath) {
                throw KeychainError(.notAvailable, "the database is of a newer version; use the newer program")
            }
            return false
        }
        if let header = inspection.header, header.isAuthentic(under: vault) {
            try header.check(against: vault)
        } else {
            return false
        }
        return inspection.faults.isEmpty && inspection.strangeObjects.isEmpty
            && Accessibility.allCases.allSatisfy { inspection.seals(of: $0) != nil }
    }

    // MARK: - A new database

    /// What the salvage of a damaged database has brought.
    private struct Salvage {
        var kept: [SealedItem] = []
        var keptAside: [SealedItem] = []
        var damaged = 0
        var incomplete: [ItemClass] = []
    }

    private func replaceDatabase(vault: KeychainVault) throws(KeychainError) -> RepairReport {
        let replacement = DatabaseReplacement(of: databasePath)
        do throws(KeychainError) {
            let inspection = try replacement.prepare(header: Header(sealedBy: vault))
            var salvage = try salvage(inspection, vault: vault)
            let isOurs = inspection.header?.isAuthentic(under: vault) ?? false
            guard isOurs || !salvage.kept.isEmpty || !salvage.keptAside.isEmpty else {
                throw KeychainError(
                    .notAvailable,
                    "nothing in the database opens with this keybag; it is another keychain's or lost, put a copy back"
                )
            }
            var duplicates = 0
            let circle = inspection.circle
            try replacement.fill(seals: Self.seals(in: inspection)) { (transaction) throws(KeychainError) in
                try transaction.insert(unchecked: circle)
                for item in salvage.keptAside { try transaction.insertAside(item) }
                for item in salvage.kept {
                    do throws(KeychainError) {
                        try transaction.insert(item)
                    } catch {
                        // Two states of one item, from a damaged page: both are in the damaged file.
                        guard error.code == .duplicateItem else { throw error }
                        duplicates += 1
                    }
                }
            }
            salvage.damaged += duplicates
            let name = try replacement.commit()
            return RepairReport(
                outcome: .replaced(damaged: name),
                kept: salvage.kept.count - duplicates,
                setAside: salvage.damaged,
                incomplete: salvage.incomplete
            )
        } catch {
            replacement.discard()
            throw error
        }
    }

    private func salvage(_ inspection: DatabaseInspection, vault: KeychainVault) throws(KeychainError) -> Salvage {
        let authorization = KeychainPolicy(hasPasscode: vault.state.hasPasscode).authorizeInspection()
        var salvage = Salvage()
        // A page that lost rows may still read as one that never had them.
        let isDamaged = !inspection.faults.isEmpty
        for itemClass in ItemClass.stored {
            let isComplete = try inspection.forEachReachableRow(of: itemClass) {
                (stored, isAside) throws(KeychainError) in
                if let item = vault.readmit(stored.row, for: authorization) {
                    if isAside { salvage.keptAside.append(item) } else { salvage.kept.append(item) }
                } else if vault.inspect(stored.row, for: authorization) == .locked {
                    // Leaving it out would be losing it.
                    throw KeychainError(.interactionNotAllowed, "the keychain is locked; unlock it, then repair it")
                } else {
                    salvage.damaged += 1
                }
            }
            if !isComplete || isDamaged { salvage.incomplete.append(itemClass) }
        }
        return salvage
    }

    /// What cannot be read counts as half of what a key may seal: enough to go on for long, and safe.
    private static func seals(in inspection: DatabaseInspection) -> [Accessibility: Int64] {
        Dictionary(uniqueKeysWithValues: Accessibility.allCases.map { ($0, inspection.seals(of: $0) ?? 1 << 31) })
    }
}

extension KeychainEngine {
    /// Sets every row aside that does not open in all its parts. Locked rows stay as they are.
    func setDamagedRowsAside() throws(KeychainError) -> RepairReport {
        defer { close() }
        return try write { () throws(KeychainError) in
            { (transaction) throws(KeychainError) in try self.setDamagedRowsAside(in: transaction) }
        }
    }

    private func setDamagedRowsAside(in transaction: WriteTransaction) throws(KeychainError) -> RepairReport {
        let authorization = policy.authorizeInspection()
        var kept = 0
        var damaged: [StoredItem] = []
        for itemClass in ItemClass.stored {
            try transaction.forEachRow(of: itemClass) { (stored) throws(KeychainError) in
                if case .damaged = vault.inspect(stored.row, for: authorization) {
                    damaged.append(stored)
                } else {
                    kept += 1
                }
            }
        }
        for stored in damaged { try transaction.setAside(stored) }
        return RepairReport(
            outcome: damaged.isEmpty ? .nothingToDo : .rowsSetAside,
            kept: kept,
            setAside: damaged.count
        )
    }
}
