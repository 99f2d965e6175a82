import KeychainEngine
import KeychainModel
import KeychainProtocol

/// The answer to a search that is too long to be in memory as a whole.
struct PagedAnswer {
    /// What the client has got so far.
    struct Sent {
        var items = 0
        /// The first rows, and one of each group, as far as a record names them.
        var rows: [AffectedRow] = []
    }

    fileprivate var search = PagedSearch()
    fileprivate let pageSize: MemoryAllowance.Size
    fileprivate let mostRows: Int
    /// How long the client may still take to read.
    fileprivate var patience: Duration
    fileprivate(set) var sent = Sent()

    init(goingThrough extent: MemoryAllowance.Extent, _ limits: ServiceLimits) {
        pageSize = MemoryBudgets.page(limits.pageSize, of: extent)
        // As many more may come until the first page.
        mostRows = extent.rows + extent.rows / 8 + 64
        patience = limits.largeAnswerTime
    }

    /// What a page takes, and what is kept from page to page.
    fileprivate var need: Int { MemoryBudgets.need(of: pageSize) + mostRows * PagedSearch.bytesOfRow }

    /// Gives back what is kept, for as long as a person is asked.
    mutating func pause() { search.pause() }
}

extension PagedAnswer.Sent {
    fileprivate mutating func add(_ page: PagedSearch.Page) {
        items += page.items.count
        for row in page.rows where rows.count < KeychainOperation.mostRowsOfEntry * 2 {
            let isNamed = rows.count < KeychainOperation.mostRowsOfEntry
            if isNamed || !rows.contains(where: { $0.accessGroup.utf8.elementsEqual(row.accessGroup.utf8) }) {
                rows.append(row)
            }
        }
    }
}

extension RequestHandler {
    /// Sends all pages but the last, which is the result. Between two pages nothing of the keychain is held.
    ///
    /// - Parameter pages: how far the answer has come, also where this throws.
    func sendPages(
        of pages: inout PagedAnswer?,
        to operation: KeychainOperation,
        in visit: Visit,
        _ grant: inout MemoryBudget.Grant?,
        sendPart: Sender
    ) throws(KeychainError) -> OperationResult {
        guard case .find(let request) = operation.action, var answer = pages.take() else {
            throw KeychainError(.internalError, "an answer without pages")
        }
        defer { pages = answer }
        grant = nil
        grant = try memory.answers.take(answer.need, for: visit.share, before: .now + limits.patience)
        while true {
            let page = try nextPage(of: &answer, to: request, in: visit)
            guard !page.isLast else {
                var result = OperationResult(.items(page.items), rows: page.rows)
                if answer.sent.items == 0 {
                    try visit.share.searches.enter(before: .now + limits.patience)
                    defer { visit.share.searches.leave() }
                    try visit.keychain.withEngine { (engine) throws(KeychainError) in
                        engine.explain(&result, of: operation, for: visit.peer.caller)
                    }
                }
                return result
            }
            if !page.items.isEmpty {
                let start = ContinuousClock.now
                // It counts as sent also where the client has read a part of it alone.
                answer.sent.add(page)
                try sendPart(.outcome(.success(OperationResult(.items(page.items)))), answer.patience)
                answer.patience += limits.pageTime - (.now - start)
                answer.patience = min(answer.patience, limits.largeAnswerTime)
            }
        }
    }

    private func nextPage(
        of answer: inout PagedAnswer,
        to request: FindRequest,
        in visit: Visit
    ) throws(KeychainError) -> PagedSearch.Page {
        try visit.share.searches.enter(before: .now + limits.patience)
        defer { visit.share.searches.leave() }
        return try visit.keychain.withEngine { (engine) throws(KeychainError) in
            try engine.nextPage(
                of: &answer.search,
                answering: request,
                for: visit.peer.caller,
                mostRows: answer.mostRows,
                within: MemoryAllowance(answer.pageSize)
            )
        }
    }
}
