import KeychainModel
import KeychainProtocol

// What the audit log says of requests.

extension KeychainOperation {
    /// More rows than these are told as a number.
    static var mostRowsOfEntry: Int { 16 }

    /// - Parameter sent: what the client had got before the result, also where that is a failure.
    func auditEntry(
        of result: OperationOutcome,
        after sent: PagedAnswer.Sent? = nil,
        in visit: RequestHandler.Visit
    ) -> AuditEntry {
        let traits = traits
        var outcome = "ok"
        var count: Int?
        var rows: [AffectedRow] = []
        switch result {
        case .failure(let error): outcome = "\(error.code)"
        case .success(let result):
            rows = result.rows
            switch result.answer {
            case .items(let items): count = traits.isSearch ? items.count : 1
            case .count(let number): count = number
            case .key, .secret: count = 1
            }
        }
        if let sent, sent.items > 0 {
            rows = sent.rows + rows
            count = sent.items + (count ?? 0)
        }
        var groups: [String] = []
        for row in rows where !groups.contains(row.accessGroup) { groups.append(row.accessGroup) }
        if groups.isEmpty, let group = traits.accessGroup { groups = [group] }
        return AuditEntry(
            time: AuditEntry.now,
            uid: visit.peer.uid,
            caller: visit.peer.caller.name,
            kind: visit.peer.identity.kind,
            onBehalfOf: visit.onBehalfOf,
            operation: traits.name,
            itemClass: traits.itemClass,
            groups: Array(groups.prefix(Self.mostRowsOfEntry)),
            outcome: outcome,
            count: count,
            rows: rows.prefix(Self.mostRowsOfEntry).map(\.uuid)
        )
    }
}

extension AuditEntry {
    /// What was done with the keychain as a whole.
    init(
        _ operation: String,
        of result: Result<Int, KeychainError>,
        by peer: AdmittedPeer,
        rows: [AffectedRow] = []
    ) {
        var outcome = "ok"
        var count: Int?
        switch result {
        case .success(let number): count = number
        case .failure(let error): outcome = "\(error.code)"
        }
        self.init(
            time: Self.now,
            uid: peer.uid,
            caller: peer.caller.name,
            kind: peer.identity.kind,
            operation: operation,
            itemClass: nil,
            groups: Array(Set(rows.map(\.accessGroup)).sorted()),
            outcome: outcome,
            count: count,
            rows: rows.map(\.uuid)
        )
    }
}
