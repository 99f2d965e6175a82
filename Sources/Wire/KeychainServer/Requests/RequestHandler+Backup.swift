import CoreMetrics
import KeychainBackup
import KeychainEngine
import KeychainModel
import KeychainProtocol

extension RequestHandler {
    /// Writes a backup to the client as it is made.
    func answer(
        _ request: BackupRequest,
        of peer: AdmittedPeer,
        from keychain: UserKeychain,
        sendPart: PartSender
    ) -> (body: Response.Body, record: AuditRecord) {
        let result = withoutActuallyEscaping(sendPart) { sendPart in
            Result { () throws(KeychainError) in
                try keychain.withEngine { (engine) throws(KeychainError) in
                    try engine.backup(request) { (bytes) throws(KeychainError) in
                        try sendPart(.backup(.bytes(bytes)), limits.answerTime)
                    }
                }
            }
        }
        let entry = AuditEntry(
            request.isExport ? "export" : "backup",
            of: result.map { Int(clamping: $0.items &+ $0.deviceItems) },
            by: peer
        )
        let record = AuditRecord(log: keychain.audit, entries: [entry])
        switch result {
        case .success(let counts): return (.backup(.counts(counts)), record)
        case .failure(let error):
            metrics.failures.increment()
            return (.outcome(.failed(error)), record)
        }
    }

    /// Goes one step on in a restoration.
    ///
    /// - Returns: the answer, and a record where something was decided.
    func answer(
        _ message: RestoreMessage,
        of peer: AdmittedPeer,
        to keychain: UserKeychain,
        restoration: inout HeldRestoration?
    ) -> (body: Response.Body, record: AuditRecord?) {
        do throws(KeychainError) {
            switch message {
            case .begin(let request):
                // Before another is begun on the same connection.
                restoration = nil
                let place = try keychain.takeRestorationPlace()
                restoration = HeldRestoration(
                    begun: try keychain.withEngine(makesKeychain: true) { (engine) throws(KeychainError) in
                        try engine.beginRestoration(request, largest: limits.backupSize)
                    },
                    place: place
                )
                return (.restore(.received(0)), nil)
            case .part(let bytes):
                guard let spool = restoration?.begun.spool else { throw Self.outOfTurn }
                try spool.append(bytes)
                return (.restore(.received(spool.count)), nil)
            case .end:
                guard let whole = restoration.take() else { throw Self.outOfTurn }
                return finish(whole.begun, of: peer, to: keychain)
            case .origin(let signer):
                let origin = try keychain.withEngine { (engine) throws(KeychainError) in
                    try engine.origin(ofBackupsBy: signer)
                }
                return (.restore(.origin(origin)), nil)
            }
        } catch {
            restoration = nil
            metrics.failures.increment()
            return (.outcome(.failed(error)), nil)
        }
    }

    private func finish(
        _ restoration: BegunRestoration,
        of peer: AdmittedPeer,
        to keychain: UserKeychain
    ) -> (body: Response.Body, record: AuditRecord?) {
        let result = Result { () throws(KeychainError) in
            try keychain.withEngine(makesKeychain: true) { (engine) throws(KeychainError) in
                try engine.finish(restoration)
            }
        }
        let entry = AuditEntry(
            restoration.request.isDryRun ? "restore-dry-run" : "restore",
            of: result.map { ($0.counts[.added] ?? 0) + ($0.counts[.replaced] ?? 0) },
            by: peer
        )
        let record = AuditRecord(log: keychain.audit, entries: [entry])
        switch result {
        case .success(let report): return (.restore(.report(report)), record)
        case .failure(let error):
            metrics.failures.increment()
            return (.outcome(.failed(error)), record)
        }
    }

    private static let outOfTurn = KeychainError(.invalidParameter, "a part of a restoration that was not begun")
}

extension AuditEntry {
    /// What was done with the keychain as a whole.
    init(_ operation: String, of result: Result<Int, KeychainError>, by peer: AdmittedPeer) {
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
            groups: [],
            outcome: outcome,
            count: count,
            rows: []
        )
    }
}
