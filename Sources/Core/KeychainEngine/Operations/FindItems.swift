package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault
import Logging

extension KeychainEngine {
    /// Finds items.
    ///
    /// - Returns: what matches, at most as many as the limit allows; nothing is no error.
    /// - Throws: `interactionNotAllowed` if a candidate is locked; `undecodable` where a persistent reference names a
    ///   damaged row, which every other search skips; what policy refuses.
    package func find(_ request: FindRequest, for caller: Caller) throws(KeychainError) -> [FoundItem] {
        let search = try step(toFind: request, for: caller)
        return try store.read(snapshot: search.needsSnapshot) { (transaction) throws(KeychainError) in
            try search.body(transaction) { _ in }
        }
    }

    /// A search that policy has allowed, to be done in a transaction.
    struct SearchStep {
        /// Whether more than one statement has to see one state.
        let needsSnapshot: Bool
        /// Gives each row that it finds to the second argument, which may end it by throwing.
        let body: (ReadTransaction, (SealedRow) throws(KeychainError) -> Void) throws(KeychainError) -> [FoundItem]
    }

    /// Decides, which needs no transaction; what is returned does the rest in one.
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
        var matches = Matches()
        let query = authorized.selection.query
        let certificates = try certificateMatcher(for: query, of: caller, in: transaction)
        let selections = try vault.blind(authorized.selection) { () throws(KeychainError) in
            try transaction.groups(of: query.itemClass)
        }
        for selection in selections where matches.count < authorized.limit.maximum {
            try transaction.forEach(selection) { (stored) throws(KeychainError) in
                if let item = try release(stored, to: authorized, certificates: certificates) {
                    matches.append(item, rowNumber: stored.rowNumber)
                    try note(stored.row)
                }
                return matches.count < authorized.limit.maximum
            }
        }
        return matches.inOrder
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

    /// Opens as much of a row as the search is about, and nil where it does not match.
    private func release(
        _ stored: StoredItem,
        to find: AuthorizedFind,
        certificates: CertificateMatcher
    ) throws(KeychainError) -> FoundItem? {
        let query = find.selection.query
        guard let opened = try openOrReport(stored, for: find.selection), opened.matches(query) else { return nil }
        let wantsObject = find.returns.wantsObject(of: query.itemClass)
        guard find.returns.contains(.data) || wantsObject || query.sha1 != nil || certificates.isNeeded else {
            return found(opened, secrets: nil, returns: find.returns)
        }
        guard let secrets = try openSecretsOrReport(of: opened, for: find.selection),
            query.sha1 == nil || query.sha1 == secrets.sha1,
            certificates.matches(secrets.values[.valueData])
        else { return nil }
        return found(opened, secrets: secrets, returns: find.returns)
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
        for selection: AuthorizedQuery
    ) throws(KeychainError) -> OpenedSecrets? {
        try reportingDamage(of: item.row, for: selection) { () throws(KeychainError) in
            try vault.openSecrets(of: item)
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
            guard error.code == .undecodable else { throw error }
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
