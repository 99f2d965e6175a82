package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

/// A search whose answer is made in pages, since it is too long to be in memory as a whole.
///
/// The first page decides which rows the search looks at; each page reads its rows as they are by then. So nothing is
/// held between two pages, neither a snapshot nor a lock, and a client that is slow to take a page holds up no other. A
/// row that is changed meanwhile is found as it is then, if it still matches; one that is removed is not found; one
/// that comes is found or not.
package struct PagedSearch: Sendable {
    private struct Row {
        let number: Int64
        /// Where its group is among the groups.
        let group: Int
    }

    /// As their bytes: two names that differ in these alone are two groups.
    private var groups: [[UInt8]] = []
    /// In the order of their numbers; nil before the first page.
    private var rows: [Row]?
    private var next = 0
    /// The last row that was looked at, from which the search goes on after a pause.
    private var last = Int64.min
    private var found = 0

    /// What is kept of each row from page to page, in bytes, with room for the array to grow.
    package static let bytesOfRow = 32

    package init() {}

    /// Gives back what is kept between pages. The next page decides anew which rows are looked at, beyond the last.
    package mutating func pause() {
        rows = nil
        groups = []
        next = 0
    }

    /// One page.
    package struct Page {
        package let items: [FoundItem]
        /// The items' rows, for the record of who did what.
        package let rows: [AffectedRow]
        package let isLast: Bool
    }

    /// - Parameters:
    ///   - mostRows: the number of rows that there is memory for.
    ///   - allowance: what the rows of this page may take.
    /// - Throws: `dataTooLarge` where one row takes more, or there are more rows; what a search throws. Then the search
    ///   is where it was before.
    fileprivate mutating func page(
        _ request: FindRequest,
        for caller: Caller,
        of engine: KeychainEngine,
        mostRows: Int,
        within allowance: MemoryAllowance
    ) throws(KeychainError) -> Page {
        let before = self
        // It may be done again: only what the last attempt has come to counts.
        let (search, page) = try engine.read { () throws(KeychainError) in
            let caller = try engine.policy.caller(of: .find(request), caller, by: engine.enclave)
            let authorized = try engine.policy.authorize(request, for: caller)
            return try engine.store.read(snapshot: true, within: allowance) { (transaction) throws(KeychainError) in
                var search = before
                let page = try search.page(
                    authorized,
                    for: caller,
                    of: engine,
                    in: transaction,
                    mostRows: mostRows,
                    size: allowance.size.answer
                )
                return (search, page)
            }
        }
        self = search
        return page
    }

    private mutating func page(
        _ authorized: AuthorizedFind,
        for caller: Caller,
        of engine: KeychainEngine,
        in transaction: ReadTransaction,
        mostRows: Int,
        size: Int
    ) throws(KeychainError) -> Page {
        var affected: [AffectedRow] = []
        var source = Source(search: self, mostRows: mostRows, size: size)
        let items = try engine.find(
            authorized,
            atMost: authorized.limit.maximum - found,
            among: &source,
            for: caller,
            in: transaction,
            note: { (row) throws(KeychainError) in affected.append(AffectedRow(row)) }
        )
        self = source.search
        found += items.count
        let isLast = next >= rows?.count ?? 0 || found >= authorized.limit.maximum
        return Page(items: items, rows: affected, isLast: isLast)
    }

    /// The rows of one page.
    private struct Source: RowSource {
        var search: PagedSearch
        let mostRows: Int
        let size: Int

        mutating func forEachRow(
            of queries: [BlindQuery],
            in transaction: ReadTransaction,
            _ body: (StoredItem) throws(KeychainError) -> Bool
        ) throws(KeychainError) {
            try search.decide(queries, in: transaction, mostRows: mostRows)
            try search.forEachRow(of: queries, in: transaction, size: size, body)
        }
    }

    /// Decides which rows are looked at, before the first of them.
    private mutating func decide(
        _ queries: [BlindQuery],
        in transaction: ReadTransaction,
        mostRows: Int
    ) throws(KeychainError) {
        guard rows == nil else { return }
        var all: [Row] = []
        for (group, query) in queries.enumerated() {
            try transaction.forEachNumber(of: query) { (number) throws(KeychainError) in
                guard number > last else { return }
                guard all.count < mostRows else {
                    throw KeychainError(.dataTooLarge, "the keychain has grown while it was searched; try again")
                }
                all.append(Row(number: number, group: group))
            }
        }
        all.sort { $0.number < $1.number }
        rows = all
        groups = queries.map { Array($0.accessGroup.utf8) }
    }

    /// Gives rows to the body from where the last page ended, until they have taken as much as a page may.
    private mutating func forEachRow(
        of queries: [BlindQuery],
        in transaction: ReadTransaction,
        size: Int,
        _ body: (StoredItem) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        // A group may have come or gone since the rows were decided on.
        let found = Dictionary(queries.map { (Array($0.accessGroup.utf8), $0) }) { first, _ in first }
        let queries = groups.map { found[$0] }
        var taken = 0
        while let rows, next < rows.count {
            let row = rows[next]
            let before = last
            last = row.number
            if let query = queries[row.group], let stored = try transaction.row(row.number, of: query) {
                let bytes = MemoryAllowance.rowOverhead + stored.row.metadata.count + stored.row.secret.count
                // The row that is one too many begins the next page.
                if taken > 0, taken + bytes > size { return last = before }
                taken += bytes
                next += 1
                guard try body(stored) else { return }
            } else {
                next += 1
            }
        }
    }
}

extension KeychainEngine {
    /// The next page of a search.
    ///
    /// - Parameters:
    ///   - request: the same for each page, but for what was proved for it.
    ///   - mostRows: how many rows there is memory for.
    ///   - allowance: what the rows of this page may take; one row may be larger than a page.
    /// - Throws: `dataTooLarge` where a row takes more, or there are more; what a search throws. Then the page may be
    ///   asked for again.
    package func nextPage(
        of search: inout PagedSearch,
        answering request: FindRequest,
        for caller: Caller,
        mostRows: Int,
        within allowance: MemoryAllowance
    ) throws(KeychainError) -> PagedSearch.Page {
        try removingLostRows { () throws(KeychainError) in
            try search.page(request, for: caller, of: self, mostRows: mostRows, within: allowance)
        }
    }
}
