import EnclaveInterface
import Foundation
import KeychainCircles
import KeychainMessages
import KeychainModel
import KeychainSync

// MARK: - Requests

extension WireCircle {
    init(_ request: CircleRequest) {
        self.init()
        switch request {
        case .status: status = Nothing()
        case .place(let path, let token):
            place.token = Data(token.bytes)
            place.path = path
        case .rename(let name, let token):
            rename.token = Data(token.bytes)
            rename.name = name
        case .found: found = Nothing()
        case .begin: begin = Nothing()
        case .takeAnswer(let answer): takeAnswer = Data(answer.encoded)
        case .join(let answer, let founding):
            join.answer = Data(answer.encoded)
            join.founding = Data(founding.encoded)
        case .answer(let request): answer = Data(request.encoded)
        case .takeReveal(let reveal): takeReveal = Data(reveal.encoded)
        case .add(let card, let consent):
            add.card = Data(card.encoded)
            add.consent = Data(consent.encoded)
        case .addRecoveryKey(let card, let consent):
            addRecoveryKey.card = Data(card.encoded)
            addRecoveryKey.consent = Data(consent)
        case .remove(let device): remove = Data(device.bytes)
        case .acceptOlder(let token): acceptOlder = Data(token.bytes)
        case .forget(let token): forget = Data(token.bytes)
        case .versions(let leave, let text):
            switch leave {
            case .token(let token): versions.token = Data(token.bytes)
            case .view(let view): versions.view = WireItemAuthentication(view)
            }
            if let text { versions.text = text }
        case .bringBack(let number, let leave): bringBack = BringBack(number, leave)
        case .discard(let number, let leave): discard = BringBack(number, leave)
        }
    }
}

extension WireCircle.BringBack {
    fileprivate init(_ number: Int64, _ leave: OwnersLeave) {
        self.init()
        switch leave {
        case .token(let token): self.token = Data(token.bytes)
        case .view(let view): self.view = WireItemAuthentication(view)
        }
        self.number = number
    }
}

extension Request {
    /// - Throws: `invalidParameter` for bytes that are not what they are sent as; `unimplemented` for what is unknown here.
    init(_ wire: WireCircle) throws(KeychainError) {
        switch wire.body {
        case .synchronize(let round):
            self = .synchronize(takesSeveral: round.takesSeveral, ifAt: round.hasPlace ? round.place : nil)
        case .carried(let reply): self = .carried(try TransportReply(reply))
        case let body?: self = .circle(try CircleRequest(body))
        case nil: throw KeychainError(.unimplemented, "this version of the service does not know the request")
        }
    }
}

extension CircleRequest {
    fileprivate init(_ body: WireCircle.OneOf_Body) throws(KeychainError) {
        switch body {
        case .status: self = .status
        case .place(let place): self = .place(place.path, try AuthorizationToken(wire: place.token))
        case .rename(let rename): self = .rename(rename.name, try AuthorizationToken(wire: rename.token))
        case .found: self = .found
        case .begin: self = .begin
        case .takeAnswer(let bytes): self = .takeAnswer(try decoded(bytes) { try JoinAnswer($0) })
        case .join(let join):
            let answer = try decoded(join.answer) { try JoinAnswer($0) }
            self = .join(answer, founding: try decoded(join.founding) { try Entry($0) })
        case .answer(let bytes): self = .answer(try decoded(bytes) { try JoinRequest($0) })
        case .takeReveal(let bytes): self = .takeReveal(try decoded(bytes) { try JoinReveal($0) })
        case .add(let addition):
            let consent = try decoded(addition.consent) { try JoinConsent($0) }
            self = .add(try decoded(addition.card) { try DeviceCard($0) }, consent)
        case .addRecoveryKey(let addition):
            guard addition.consent.count == Entry.signatureSize else { throw malformed }
            let card = try decoded(addition.card) { try DeviceCard($0) }
            self = .addRecoveryKey(card, consent: Array(addition.consent))
        case .remove(let device):
            guard let device = SyncHash(Array(device)) else { throw malformed }
            self = .remove(device)
        case .acceptOlder(let token): self = .acceptOlder(try AuthorizationToken(wire: token))
        case .forget(let token): self = .forget(try AuthorizationToken(wire: token))
        case .versions(let versions):
            guard versions.text.utf8.count <= Self.longestText else { throw malformed }
            self = .versions(
                try OwnersLeave(versions.token, versions.hasView ? versions.view : nil),
                matching: versions.hasText ? versions.text : nil
            )
        case .bringBack(let request):
            self = .bringBack(request.number, try OwnersLeave(request.token, request.hasView ? request.view : nil))
        case .discard(let request):
            self = .discard(request.number, try OwnersLeave(request.token, request.hasView ? request.view : nil))
        case .synchronize, .carried: throw malformed
        }
    }

    private static let longestText = 4_096
}

extension OwnersLeave {
    fileprivate init(_ token: Data, _ view: WireItemAuthentication?) throws(KeychainError) {
        guard let view else {
            self = .token(try AuthorizationToken(wire: token))
            return
        }
        guard token.isEmpty else { throw malformed }
        self = .view(try ItemAuthentication(view))
    }
}

private let malformed = KeychainError(.invalidParameter, "what is said of a circle is not what it is sent as")

private func decoded<Value>(_ bytes: Data, _ decode: ([UInt8]) throws -> Value) throws(KeychainError) -> Value {
    do {
        return try decode(Array(bytes))
    } catch {
        throw malformed
    }
}

// MARK: - What the transport says

extension WireCircle.Carried {
    init(_ reply: TransportReply) {
        self.init()
        switch reply {
        case .names(let names): self.names.names = names
        case .blob(let bytes):
            blob = WireCircle.Blob()
            if let bytes { blob.bytes = Data(bytes) }
        case .done: done = WireCircle.Nothing()
        case .failure(let failure):
            self.failure.kind =
                switch failure.kind {
                case .unreachable: .unreachable
                case .full: .full
                case .other: .other
                }
            self.failure.message = failure.description
        }
    }
}

extension TransportReply {
    init(_ wire: WireCircle.Carried) throws(KeychainError) {
        switch wire.body {
        case .names(let names): self = .names(names.names)
        case .blob(let blob): self = .blob(blob.hasBytes ? Array(blob.bytes) : nil)
        case .done: self = .done
        case .failure(let failure):
            let kind: SyncTransportFailure.Kind =
                switch failure.kind {
                case .unreachable: .unreachable
                case .full: .full
                case .other, .UNRECOGNIZED: .other
                }
            // It is shown to people, and a program has written it.
            let text = failure.message.unicodeScalars.prefix(Self.longestMessage)
            self = .failure(SyncTransportFailure(kind, String(String.UnicodeScalarView(text))))
        case nil: throw malformed
        }
    }

    private static let longestMessage = 1_024
}

// MARK: - Answers

extension WireCircleAnswer {
    init(_ answer: CircleAnswer) {
        self.init()
        switch answer {
        case .done: bytes = Data()
        case .status(let status): self.status = Status(status)
        case .bytes(let bytes): self.bytes = Data(bytes)
        case .versions(let versions): self.versions.versions = versions.map { Version($0) }
        case .title(let title): self.title = title
        }
    }

    init(_ question: TransportQuestion) {
        self.init()
        self.question = Question(question)
    }

    init(_ report: SyncReport) {
        self.init()
        self.report = Report(report)
    }
}

extension Response.Body {
    init(_ wire: WireCircleAnswer) throws(KeychainError) {
        switch wire.body {
        case .status(let status): self = .circle(.status(try CircleStatus(status)))
        // Nothing that has bytes has none.
        case .bytes(let bytes): self = .circle(bytes.isEmpty ? .done : .bytes(Array(bytes)))
        case .versions(let versions):
            self = .circle(
                .versions(
                    try versions.versions.map { (version) throws(KeychainError) in try EarlierVersion(version) }
                )
            )
        case .title(let title): self = .circle(.title(title))
        case .question(let question): self = .question(try TransportQuestion(question))
        case .report(let report): self = .round(SyncReport(report))
        case nil: throw unknown
        }
    }
}

private let unknown = KeychainError(.invalidParameter, "the service says of a circle what this version does not know")

extension WireCircleAnswer.Question {
    fileprivate init(_ question: TransportQuestion) {
        self.init()
        switch question {
        case .circles: circles = WireCircle.Nothing()
        case .list(let kind, let circle):
            self.circle = Data(circle.bytes)
            list = kind.rawValue
        case .read(let name, let circle):
            self.circle = Data(circle.bytes)
            read = name.text
        case .write(let bytes, let name, let circle):
            self.circle = Data(circle.bytes)
            write = WireCircleAnswer.Write(SyncBlob(bytes, as: name))
        case .writeAll(let blobs, let circle):
            self.circle = Data(circle.bytes)
            writes.writes = blobs.map { WireCircleAnswer.Write($0) }
        case .remove(let name, let circle):
            self.circle = Data(circle.bytes)
            remove = name.text
        }
    }
}

extension WireCircleAnswer.Write {
    fileprivate init(_ blob: SyncBlob) {
        self.init()
        name = blob.name.text
        bytes = Data(blob.bytes)
    }
}

extension TransportQuestion {
    fileprivate init(_ wire: WireCircleAnswer.Question) throws(KeychainError) {
        if case .circles = wire.body {
            self = .circles
            return
        }
        guard let circle = SyncHash(Array(wire.circle)) else { throw unknown }
        func name(_ text: String) throws(KeychainError) -> BlobName {
            guard let name = BlobName(text) else { throw unknown }
            return name
        }
        switch wire.body {
        case .list(let text):
            guard let kind = BlobName.Kind(rawValue: text) else { throw unknown }
            self = .list(kind, in: circle)
        case .read(let text): self = .read(try name(text), in: circle)
        case .write(let write): self = .write(Array(write.bytes), as: try name(write.name), in: circle)
        case .writes(let all):
            self = .writeAll(
                try all.writes.map { (write) throws(KeychainError) in
                    SyncBlob(Array(write.bytes), as: try name(write.name))
                },
                in: circle
            )
        case .remove(let text): self = .remove(try name(text), in: circle)
        case .circles, nil: throw unknown
        }
    }
}

extension WireCircleAnswer.Status {
    fileprivate init(_ status: CircleStatus) {
        self.init()
        circle = Data(status.circle.bytes)
        isMember = status.isMember
        isReading = status.isReading
        members = status.members.map { WireCircleAnswer.Member($0) }
        items = UInt64(clamping: status.items)
        unsent = UInt64(clamping: status.unsent)
        lost = UInt64(clamping: status.lost)
        isWaitingForUnlock = status.isWaitingForUnlock
        transport = status.settings.transport
        lastRound = status.settings.lastRound
        waitingSince = status.settings.waitingSince
        failure = status.failure ?? ""
    }
}

extension CircleStatus {
    fileprivate init(_ wire: WireCircleAnswer.Status) throws(KeychainError) {
        guard let circle = SyncHash(Array(wire.circle)) else { throw unknown }
        var settings = CircleSettings()
        settings.transport = wire.transport
        settings.lastRound = wire.lastRound
        settings.waitingSince = wire.waitingSince
        self.init(
            circle: circle,
            isMember: wire.isMember,
            isReading: wire.isReading,
            members: try wire.members.map { (member) throws(KeychainError) in try Member(member) },
            items: Int(clamping: wire.items),
            unsent: Int(clamping: wire.unsent),
            lost: Int(clamping: wire.lost),
            isWaitingForUnlock: wire.isWaitingForUnlock,
            failure: wire.failure.isEmpty ? nil : wire.failure,
            settings: settings
        )
    }
}

extension WireCircleAnswer.Member {
    fileprivate init(_ member: CircleStatus.Member) {
        self.init()
        id = Data(member.id.bytes)
        if let name = member.name { self.name = name }
        isRecoveryKey = member.isRecoveryKey
        isThisDevice = member.isThisDevice
        if let heard = member.heard { self.heard = heard }
        if let ahead = member.ahead { self.ahead = ahead }
        if let hasReadAll = member.hasReadAll { hasReadAll_p = hasReadAll }
    }
}

extension CircleStatus.Member {
    fileprivate init(_ wire: WireCircleAnswer.Member) throws(KeychainError) {
        guard let id = SyncHash(Array(wire.id)) else { throw unknown }
        self.init(
            id: id,
            name: wire.hasName ? wire.name : nil,
            isRecoveryKey: wire.isRecoveryKey,
            isThisDevice: wire.isThisDevice,
            heard: wire.hasHeard ? wire.heard : nil,
            ahead: wire.hasAhead ? wire.ahead : nil,
            hasReadAll: wire.hasHasReadAll_p ? wire.hasReadAll_p : nil
        )
    }
}

extension WireCircleAnswer.Version {
    fileprivate init(_ version: EarlierVersion) {
        self.init()
        number = version.number
        itemClass = WireItemClass(version.itemClass)
        accessGroup = version.accessGroup
        title = version.title
        reason =
            switch version.reason {
            case .replaced: .replaced
            case .deleted: .deleted
            case .lost: .lost
            }
        time = version.time
        isThere = version.isThere
        uuid = Data(version.uuid.bytes)
    }
}

extension EarlierVersion {
    fileprivate init(_ wire: WireCircleAnswer.Version) throws(KeychainError) {
        let reason: Reason =
            switch wire.reason {
            case .replaced: .replaced
            case .deleted: .deleted
            case .lost: .lost
            case .unspecified, .UNRECOGNIZED: throw unknown
            }
        guard let uuid = ItemUUID(wire.uuid) else { throw unknown }
        self.init(
            number: wire.number,
            itemClass: try ItemClass(wire.itemClass),
            uuid: uuid,
            accessGroup: wire.accessGroup,
            title: wire.title,
            reason: reason,
            time: wire.time,
            isThere: wire.isThere
        )
    }
}

extension WireCircleAnswer.Report {
    fileprivate init(_ report: SyncReport) {
        self.init()
        sent = UInt64(clamping: report.sent)
        received = UInt64(clamping: report.received)
        removed = UInt64(clamping: report.removed)
        lost = UInt64(clamping: report.lost)
        refused = UInt64(clamping: report.refused)
        repaired = UInt64(clamping: report.repaired)
        damaged = UInt64(clamping: report.damaged)
        tooLarge = UInt64(clamping: report.tooLarge)
        devicesAdded = UInt64(clamping: report.devicesAdded)
        devicesRemoved = UInt64(clamping: report.devicesRemoved)
        isWaitingForUnlock = report.isWaitingForUnlock
        isWaitingForOthers = report.isWaitingForOthers
        isReading = report.isReading
        isMember = report.isMember
    }
}

extension SyncReport {
    fileprivate init(_ wire: WireCircleAnswer.Report) {
        self.init()
        sent = Int(clamping: wire.sent)
        received = Int(clamping: wire.received)
        removed = Int(clamping: wire.removed)
        lost = Int(clamping: wire.lost)
        refused = Int(clamping: wire.refused)
        repaired = Int(clamping: wire.repaired)
        damaged = Int(clamping: wire.damaged)
        tooLarge = Int(clamping: wire.tooLarge)
        devicesAdded = Int(clamping: wire.devicesAdded)
        devicesRemoved = Int(clamping: wire.devicesRemoved)
        isWaitingForUnlock = wire.isWaitingForUnlock
        isWaitingForOthers = wire.isWaitingForOthers
        isReading = wire.isReading
        isMember = wire.isMember
    }
}
