import EnclaveInterface
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault
import Logging

/// Where a search has its rows from.
protocol RowSource {
    /// Gives rows of some selections to the body, one after the other, until it returns false.
    mutating func forEachRow(
        of queries: [BlindQuery],
        in transaction: ReadTransaction,
        _ body: (StoredItem) throws(KeychainError) -> Bool
    ) throws(KeychainError)
}

extension KeychainEngine {
    /// A search that policy has allowed, to be done in a transaction.
    struct SearchStep {
        /// Whether more than one statement has to see one state.
        let needsSnapshot: Bool
        /// Gives each row that it finds to the second argument, which may end it by throwing.
        let body: (ReadTransaction, (SealedRow) throws(KeychainError) -> Void) throws(KeychainError) -> [FoundItem]
    }

    /// Finds items: decides, which needs no transaction; what is returned does the rest in one, and gives what matches,
    /// at most as many as the limit allows.
    ///
    /// - Throws: `interactionNotAllowed` if a candidate is locked; `undecodable` where a persistent reference names a
    ///   damaged row, which every other search skips; what policy refuses.
    func step(toFind request: FindRequest, for caller: Caller) throws(KeychainError) -> SearchStep {
        if request.query.itemClass == .identity {
            return try step(toFindIdentities: request, for: caller)
        }
        let authorized = try policy.authorize(request, for: caller)
        let query = authorized.selection.query
        let needsSnapshot = authorized.selection.scope.isSeveralGroups || query.certificate.needsOthers
        return SearchStep(needsSnapshot: needsSnapshot) { (transaction, note) throws(KeychainError) in
            try self.find(authorized, for: caller, in: transaction, note: note)
        }
    }

    private func find(
        _ authorized: AuthorizedFind,
        for caller: Caller,
        in transaction: ReadTransaction,
        note: (SealedRow) throws(KeychainError) -> Void
    ) throws(KeychainError) -> [FoundItem] {
        guard authorized.limit.maximum > 0 else { return [] }
        do throws(KeychainError) {
            var rows = AllRows()
            return try find(
                authorized,
                atMost: authorized.limit.maximum,
                among: &rows,
                for: caller,
                in: transaction,
                note: note
            )
        } catch {
            if transaction.isLacking, authorized.limit.maximum > 1 {
                try transaction.noteExtent(of: blindQueries(of: authorized, in: transaction))
            }
            throw error
        }
    }

    private func blindQueries(
        of find: AuthorizedFind,
        in transaction: ReadTransaction
    ) throws(KeychainError) -> [BlindQuery] {
        try vault.blind(find.selection) { () throws(KeychainError) in
            try transaction.groups(of: find.selection.query.itemClass)
        }
    }

    private struct AllRows: RowSource {
        func forEachRow(
            of queries: [BlindQuery],
            in transaction: ReadTransaction,
            _ body: (StoredItem) throws(KeychainError) -> Bool
        ) throws(KeychainError) {
            for query in queries {
                var goesOn = true
                try transaction.forEach(query) { (stored) throws(KeychainError) in
                    goesOn = try body(stored)
                    return goesOn
                }
                guard goesOn else { return }
            }
        }
    }

    /// Opens what matches among some rows.
    func find(
        _ authorized: AuthorizedFind,
        atMost maximum: Int,
        among rows: inout some RowSource,
        for caller: Caller,
        in transaction: ReadTransaction,
        note: (SealedRow) throws(KeychainError) -> Void
    ) throws(KeychainError) -> [FoundItem] {
        var matches = Matches()
        let query = authorized.selection.query
        let certificates = try certificateMatcher(for: query, of: caller, in: transaction)
        let needsSecrets =
            authorized.returns.contains(.data) || authorized.returns.wantsObject(of: query.itemClass)
            || query.sha1 != nil || certificates.isNeeded
        let queries = try blindQueries(of: authorized, in: transaction)
        var waiting = WaitingRows()
        try rows.forEachRow(of: queries, in: transaction) { (stored) throws(KeychainError) in
            guard let opened = try openOrReport(stored, for: authorized.selection), opened.matches(query) else {
                return true
            }
            if needsSecrets {
                waiting.append(opened, rowNumber: stored.rowNumber)
                if waiting.isEnough(for: maximum - matches.count) {
                    try release(waiting.takeAll(), to: authorized, certificates, &matches, note: note)
                }
            } else {
                let item = found(opened, secrets: nil, returns: authorized.returns)
                matches.append(item, rowNumber: stored.rowNumber)
                try note(stored.row)
            }
            return matches.count < maximum
        }
        try release(waiting.takeAll(), to: authorized, certificates, &matches, note: note)
        return matches.inOrder
    }

    /// Rows whose secrets are opened together: where the enclave is another process, each question costs a trip to it.
    private struct WaitingRows {
        private var rows: [(item: OpenedItem, rowNumber: Int64)] = []
        private var size = 0

        private static let most = 256
        /// In bytes: what is sealed is in memory meanwhile.
        private static let largest = 256 << 10

        mutating func append(_ item: OpenedItem, rowNumber: Int64) {
            rows.append((item, rowNumber))
            size += item.row.secret.count + item.row.metadata.count
        }

        /// Whether the search may end with them, or more would take too much memory.
        func isEnough(for remaining: Int) -> Bool {
            rows.count >= min(remaining, Self.most) || size >= Self.largest
        }

        mutating func takeAll() -> [(item: OpenedItem, rowNumber: Int64)] {
            defer { self = WaitingRows() }
            return rows
        }
    }

    /// Opens secrets, and takes what matches into what was found.
    private func release(
        _ rows: [(item: OpenedItem, rowNumber: Int64)],
        to find: AuthorizedFind,
        _ certificates: CertificateMatcher,
        _ matches: inout Matches,
        note: (SealedRow) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let query = find.selection.query
        try requireOwner(of: rows.map(\.item), toRead: find)
        let opened = try vault.openSecrets(of: rows.map(\.item), with: find.authentication)
        if find.authentication.ui != .skip, let need = PresenceNeed(ofAll: opened) {
            throw KeychainError(.interactionNotAllowed, "the items' owner has to be asked", presence: .needed(need))
        }
        for (row, secrets) in zip(rows, opened) {
            if find.leavesOut(row.item, secrets) { continue }
            let opened = try reportingDamage(of: row.item.row, for: find.selection) { () throws(KeychainError) in
                try secrets.get()
            }
            guard let opened, query.sha1 == nil || query.sha1 == opened.sha1,
                certificates.matches(opened.values[.valueData])
            else { continue }
            matches.append(found(row.item, secrets: opened, returns: find.returns), rowNumber: row.rowNumber)
            try note(row.item.row)
        }
    }

    /// What a search has found, in the order of finding.
    private struct Matches {
        private var items: [FoundItem] = []
        private var rowNumbers: [Int64] = []
        private var isInOrder = true

        var count: Int { items.count }

        mutating func append(_ item: FoundItem, rowNumber: Int64) {
            if let last = rowNumbers.last, last > rowNumber { isInOrder = false }
            items.append(item)
            rowNumbers.append(rowNumber)
        }

        /// The items in the order of their rows, in which a search of one group mostly finds them.
        var inOrder: [FoundItem] {
            if isInOrder { return items }
            return rowNumbers.indices.sorted { rowNumbers[$0] < rowNumbers[$1] }.map { items[$0] }
        }
    }

    func found(_ item: OpenedItem, secrets: OpenedSecrets?, returns: ReturnSelection) -> FoundItem {
        FoundItem(
            reference: item.reference,
            attributes: returns.wantsAttributes ? item.allAttributes : AttributeList(),
            accessControl: item.accessControl,
            secrets: returns.contains(.data) ? secrets?.values ?? [:] : [:],
            object: returns.wantsObject(of: item.row.itemClass) ? secrets?.values[.valueData] : nil,
            sha1: secrets?.sha1
        )
    }

    // MARK: - Damaged rows

    /// The opened attributes, or nil for a row that is damaged: it is reported, and stays where it is.
    ///
    /// - Throws: `undecodable` if a persistent reference asks for just that row.
    func openOrReport(_ stored: StoredItem, for selection: AuthorizedQuery) throws(KeychainError) -> OpenedItem? {
        try reportingDamage(of: stored.row, for: selection) { () throws(KeychainError) in
            try vault.open(stored.row, for: selection)
        }
    }

    func openSecretsOrReport(
        of item: OpenedItem,
        for selection: AuthorizedQuery,
        with authentication: ItemAuthentication = ItemAuthentication()
    ) throws(KeychainError) -> OpenedSecrets? {
        try reportingDamage(of: item.row, for: selection) { () throws(KeychainError) in
            try vault.openSecrets(of: item, with: authentication)
        }
    }

    func reportingDamage<Value>(
        of row: SealedRow,
        for selection: AuthorizedQuery,
        _ body: () throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value? {
        do {
            return try body()
        } catch {
            // A caller that asks for the secret is told: the fingers to which the item was bound are gone.
            if error.code == .itemNotFound, row.isConstrained {
                lost.note(row)
                return nil
            }
            guard error.code == .undecodable else { throw error }
            if row.wasDestroyed(in: vault.state) { return nil }
            log.warning(
                "row \(row.uuid) of class \(row.itemClass.rawValue) is damaged and was skipped; it was left as it is"
            )
            if selection.query.reference != nil { throw error }
            return nil
        }
    }
}

extension OpenedItem {
    /// The filters that no column can answer.
    func matches(_ query: ItemQuery) -> Bool {
        guard let host = query.hostOrSubdomain else { return true }
        guard case .string(let server) = attributes[.server] else { return false }
        return server.utf8.elementsEqual(host.utf8) || server.utf8.reversed().starts(with: ("." + host).utf8.reversed())
    }
}

extension PresenceNeed {
    /// What the first item lacks that was not released, with all items that lack the same; nil if none lacks anything.
    fileprivate init?(ofAll results: [Result<OpenedSecrets, KeychainError>]) {
        let needs = results.compactMap { if case .failure(let error) = $0 { error.need } else { nil } }
        guard let first = needs.first else { return nil }
        // An application password is asked for item by item: it is the item that tells whether it is right.
        let alike = needs.filter {
            first.password == .none && $0.demand == first.demand && $0.password == first.password
        }
        self.init(first.demand, password: first.password, items: alike.isEmpty ? first.items : alike.flatMap(\.items))
    }
}

extension AuthorizedFind {
    /// Whether an item would need a person who must not be asked (`kSecUseAuthenticationUISkip`).
    fileprivate func leavesOut(_ item: OpenedItem, _ secrets: Result<OpenedSecrets, KeychainError>) -> Bool {
        guard case .failure(let error) = secrets else { return false }
        return authentication.leavesOut(item, error)
    }
}

extension AuthorizedIdentityFind {
    /// The same of an identity, whose key it is that needs the person.
    func leavesOut(_ key: OpenedItem, _ error: KeychainError) -> Bool {
        authentication.leavesOut(key, error)
    }
}

extension ItemAuthentication {
    fileprivate func leavesOut(_ item: OpenedItem, _ error: KeychainError) -> Bool {
        ui == .skip && !item.accessControl.isUnconstrained && error.code == .interactionNotAllowed
    }
}

extension SealedRow {
    fileprivate var isConstrained: Bool { !accessControl.isEmpty }

    /// Whether its key went with the passcode: the row counts as gone, and is removed later.
    fileprivate func wasDestroyed(in state: EnclaveState) -> Bool {
        accessibility == Accessibility.whenPasscodeSetThisDeviceOnly.code && !state.hasPasscode
    }
}
