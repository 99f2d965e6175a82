import EnclaveInterface
import Foundation
import KeychainBackup
import KeychainMessages
import KeychainModel

// MARK: - Requests

extension WireBackup {
    init(_ request: BackupRequest) {
        self.init()
        token = Data(request.token.bytes)
        isExport = request.isExport
        recipients = request.recipients.map { recipient in
            var wire = Recipient()
            wire.publicKey = Data(recipient.publicKey)
            wire.stanza = Data(recipient.stanza)
            return wire
        }
    }
}

extension BackupRequest {
    init(_ wire: WireBackup) throws(KeychainError) {
        guard (1...BackupRecipient.most).contains(wire.recipients.count) else {
            throw KeychainError(.invalidParameter, "a backup has between 1 and \(BackupRecipient.most) recipients")
        }
        self.init(
            token: try AuthorizationToken(wire: wire.token),
            isExport: wire.isExport,
            recipients: try wire.recipients.map { (recipient) throws(KeychainError) in
                guard
                    let recipient = BackupRecipient(
                        publicKey: Array(recipient.publicKey),
                        stanza: Array(recipient.stanza)
                    )
                else { throw KeychainError(.invalidParameter, "a recipient of a backup is invalid") }
                return recipient
            }
        )
    }
}

extension AuthorizationToken {
    init(wire bytes: Data) throws(KeychainError) {
        guard let token = AuthorizationToken(bytes) else {
            throw KeychainError(.invalidParameter, "a token of another length than \(Self.size) bytes")
        }
        self = token
    }
}

extension WireRestore {
    init(_ message: RestoreMessage) {
        self.init()
        switch message {
        case .begin(let request):
            begin.token = Data(request.token.bytes)
            begin.fileKey = request.fileKey.bytes.data
            begin.rule = ConflictRule(request.rule)
            begin.isDryRun = request.isDryRun
            begin.acceptsOrigin = request.acceptsOrigin
        case .part(let bytes): part = Data(bytes)
        case .end: end = true
        case .origin(let signer): originOfSigner = Data(signer)
        }
    }
}

extension RestoreMessage {
    init(_ wire: WireRestore) throws(KeychainError) {
        switch wire.body {
        case .begin(let begin):
            guard let fileKey = FileKey(SecretBytes(begin.fileKey)) else {
                throw KeychainError(.invalidParameter, "a file key of another length than \(FileKey.size) bytes")
            }
            self = .begin(
                RestoreRequest(
                    token: try AuthorizationToken(wire: begin.token),
                    fileKey: fileKey,
                    rule: try ConflictRule(begin.rule),
                    isDryRun: begin.isDryRun,
                    acceptsOrigin: begin.acceptsOrigin
                )
            )
        case .part(let bytes):
            guard bytes.count <= Self.largestPart else {
                throw KeychainError(.dataTooLarge, "a part of a backup has more than \(Self.largestPart) bytes")
            }
            self = .part(Array(bytes))
        case .end: self = .end
        case .originOfSigner(let signer): self = .origin(signer: Array(signer))
        case nil: throw KeychainError(.unimplemented, "this version of the service does not know the request")
        }
    }
}

extension WireRestore.ConflictRule {
    init(_ rule: ConflictRule) {
        self =
            switch rule {
            case .newer: .newer
            case .keep: .keep
            case .replace: .replace
            }
    }
}

extension ConflictRule {
    init(_ wire: WireRestore.ConflictRule) throws(KeychainError) {
        switch wire {
        case .newer: self = .newer
        case .keep: self = .keep
        case .replace: self = .replace
        case .UNRECOGNIZED: throw KeychainError(.invalidParameter, "a rule that is unknown here")
        }
    }
}

// MARK: - Responses

extension WireBackupPart {
    init(_ part: BackupPart) {
        self.init()
        switch part {
        case .bytes(let bytes): self.bytes = Data(bytes)
        case .counts(let counts):
            self.counts.items = counts.items
            self.counts.deviceItems = counts.deviceItems
            self.counts.damaged = counts.damaged
        }
    }
}

extension BackupPart {
    init(_ wire: WireBackupPart) throws(KeychainError) {
        switch wire.body {
        case .bytes(let bytes): self = .bytes(Array(bytes))
        case .counts(let counts):
            self = .counts(
                BackupCounts(items: counts.items, deviceItems: counts.deviceItems, damaged: counts.damaged)
            )
        case nil: throw KeychainError(.invalidParameter, "the service answers what this version does not know")
        }
    }
}

extension WireRestoreStep {
    init(_ step: RestoreStep) {
        self.init()
        switch step {
        case .received(let count): received = count
        case .origin(let origin): self.origin = Origin(origin)
        case .report(let report):
            self.report.origin = Origin(report.origin)
            self.report.counts = RestoreOutcome.allCases.compactMap { outcome in
                guard let number = report.counts[outcome] else { return nil }
                var count = Count()
                count.result = Result(outcome)
                count.count = UInt64(clamping: number)
                return count
            }
            self.report.items = report.items.map { item in
                var wire = Item()
                if let itemClass = item.itemClass { wire.itemClass = WireItemClass(itemClass) }
                wire.accessGroup = item.accessGroup
                wire.title = item.title
                wire.result = Result(item.outcome)
                return wire
            }
        }
    }
}

extension RestoreStep {
    init(_ wire: WireRestoreStep) throws(KeychainError) {
        switch wire.body {
        case .received(let count): self = .received(count)
        case .origin(let origin): self = .origin(try BackupOrigin(origin))
        case .report(let report):
            var counts: [RestoreOutcome: Int] = [:]
            for count in report.counts { counts[try RestoreOutcome(count.result)] = Int(clamping: count.count) }
            self = .report(
                RestoreReport(
                    origin: try BackupOrigin(report.origin),
                    counts: counts,
                    items: try report.items.map { (item) throws(KeychainError) in
                        RestoredItem(
                            itemClass: item.itemClass == .unspecified ? nil : try ItemClass(item.itemClass),
                            accessGroup: item.accessGroup,
                            title: item.title,
                            outcome: try RestoreOutcome(item.result)
                        )
                    }
                )
            )
        case nil: throw KeychainError(.invalidParameter, "the service answers what this version does not know")
        }
    }
}

extension WireRestoreStep.Origin {
    init(_ origin: BackupOrigin) {
        self =
            switch origin {
            case .thisDevice: .thisDevice
            case .known: .known
            case .unknown: .unknown
            }
    }
}

extension BackupOrigin {
    init(_ wire: WireRestoreStep.Origin) throws(KeychainError) {
        switch wire {
        case .thisDevice: self = .thisDevice
        case .known: self = .known
        case .unknown: self = .unknown
        case .unspecified, .UNRECOGNIZED:
            throw KeychainError(.invalidParameter, "the service names an origin that is unknown here")
        }
    }
}

extension WireRestoreStep.Result {
    init(_ outcome: RestoreOutcome) {
        self =
            switch outcome {
            case .added: .added
            case .replaced: .replaced
            case .kept: .kept
            case .otherDevice: .otherDevice
            case .refused: .refused
            }
    }
}

extension RestoreOutcome {
    init(_ wire: WireRestoreStep.Result) throws(KeychainError) {
        switch wire {
        case .added: self = .added
        case .replaced: self = .replaced
        case .kept: self = .kept
        case .otherDevice: self = .otherDevice
        case .refused: self = .refused
        case .unspecified, .UNRECOGNIZED:
            throw KeychainError(.invalidParameter, "the service tells of a result that is unknown here")
        }
    }
}
