import EnclaveInterface
import KeychainBackup
import KeychainEngine
import KeychainModel
import KeychainProtocol

/// What is done with a keychain as a whole.
extension RequestHandler {
    /// Puts the keychain's items under new keys. Other requests go on meanwhile.
    func rotateKeys(_ token: AuthorizationToken, in visit: Visit) -> Answer {
        recorded(as: "rotate-keys", in: visit) { () throws(KeychainError) in
            try visit.keychain.withEngine { (engine) throws(KeychainError) in try engine.rotateKeys(token) }
            return (.done, 0)
        }
    }

    /// Writes a backup to the client as it is made.
    func backup(_ request: BackupRequest, in visit: Visit, sendPart: Sender) -> Answer {
        withoutActuallyEscaping(sendPart) { sendPart in
            recorded(as: request.isExport ? "export" : "backup", in: visit) { () throws(KeychainError) in
                let counts = try visit.keychain.withEngine { (engine) throws(KeychainError) in
                    try engine.backup(request) { (bytes) throws(KeychainError) in
                        try sendPart(.backup(.bytes(bytes)), limits.answerTime)
                    }
                }
                return (.backup(.counts(counts)), Int(clamping: counts.items &+ counts.deviceItems))
            }
        }
    }

    /// Goes one step on in a restoration. What fails ends it.
    func restore(
        _ message: RestoreMessage,
        in visit: Visit,
        restoration: inout HeldRestoration?
    ) throws(KeychainError) -> Answer {
        do throws(KeychainError) {
            switch message {
            case .begin(let request):
                // Before another is begun on the same connection.
                restoration = nil
                let place = try visit.keychain.takeRestorationPlace()
                restoration = HeldRestoration(
                    begun: try visit.keychain.withEngine(makesKeychain: true) { (engine) throws(KeychainError) in
                        try engine.beginRestoration(request, largest: limits.backupSize)
                    },
                    place: place
                )
                return Answer(body: .restore(.received(0)))
            case .part(let bytes):
                guard let spool = restoration?.begun.spool else { throw Self.outOfTurn }
                try spool.append(bytes)
                return Answer(body: .restore(.received(spool.count)))
            case .end:
                guard let whole = restoration.take() else { throw Self.outOfTurn }
                return finish(whole.begun, in: visit)
            case .origin(let signer):
                let origin = try visit.keychain.withEngine { (engine) throws(KeychainError) in
                    try engine.origin(ofBackupsBy: signer)
                }
                return Answer(body: .restore(.origin(origin)))
            }
        } catch {
            restoration = nil
            throw error
        }
    }

    private func finish(_ restoration: BegunRestoration, in visit: Visit) -> Answer {
        let name = restoration.request.isDryRun ? "restore-dry-run" : "restore"
        return recorded(as: name, in: visit) { () throws(KeychainError) in
            let report = try visit.keychain.withEngine(makesKeychain: true) { (engine) throws(KeychainError) in
                try engine.finish(restoration)
            }
            return (.restore(.report(report)), (report.counts[.added] ?? 0) + (report.counts[.replaced] ?? 0))
        }
    }

    private static let outOfTurn = KeychainError(.invalidParameter, "a part of a restoration that was not begun")
}

extension Response.Body {
    /// For what has no answer but that it was done.
    static var done: Response.Body { .outcome(.success(OperationResult(.count(0)))) }
}
