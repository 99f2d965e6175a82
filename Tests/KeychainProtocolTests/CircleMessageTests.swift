import EnclaveInterface
import Foundation
import KeychainCircles
import KeychainMessages
import KeychainModel
import KeychainProtocol
import KeychainSync
import SwiftProtobuf
import SyncTestSupport
import Testing

@Suite("What is said of a circle")
struct CircleMessageTests {
    private func arrived(_ request: Request) throws -> Request {
        let frame = try FrameCodec.encode(.request(id: 7, request))
        guard case .request(7, let result) = try FrameCodec.decodeClient(Array(frame.dropFirst(4))) else {
            throw KeychainError(.internalError, "no request arrived")
        }
        return try result.get()
    }

    private func arrived(_ body: Response.Body) throws -> String {
        let message = ServerMessage.response(Response(id: 9, hasMore: true, body: body))
        return picture(try FrameCodec.decodeServer(Array(FrameCodec.encode(message).dropFirst(4))))
    }

    private func expectSame(_ body: Response.Body) throws {
        #expect(try arrived(body) == picture(ServerMessage.response(Response(id: 9, hasMore: true, body: body))))
    }

    private let name = SyncName.random()

    private static var view: ItemAuthentication {
        var view = ItemAuthentication()
        view.isOwners = true
        view.usesContext = true
        view.prompt.reason = "reason"
        return view
    }

    private let hash = SyncHash(of: [1])

    @Test func `every request arrives as it was`() throws {
        let site = CircleSite()
        let member = try CircleDevice(at: site)
        try member.found()
        let replica = try #require(member.replica)
        let founding = replica.circle.entries[0]
        let card = member.keys.card
        let request = JoinRequest(ceremony: name, card: card, nonce: hash)
        let answer = JoinAnswer(to: request, of: replica, card: card, nonce: hash)
        let consent = JoinConsent(ceremony: name, signature: [UInt8](repeating: 5, count: 64))
        let token = try #require(AuthorizationToken([UInt8](repeating: 6, count: AuthorizationToken.size)))
        let requests: [CircleRequest] = [
            .status, .place("/a folder/\u{e9}", token), .rename("name", token), .found, .begin, .takeAnswer(answer),
            .join(answer, founding: founding), .answer(request), .takeReveal(JoinReveal(ceremony: name, nonce: hash)),
            .add(card, consent), .addRecoveryKey(card, consent: [UInt8](repeating: 7, count: 64)), .remove(hash),
            .acceptOlder(token), .forget(token), .versions(.token(token), matching: nil),
            .versions(.token(token), matching: ""),
            .versions(.view(Self.view), matching: "x"), .bringBack(7, .view(Self.view)),
            .bringBack(.max, .token(token)), .bringBack(-1, .token(token)), .discard(7, .view(Self.view)),
            .discard(.min, .token(token)),
        ]
        for request in requests {
            #expect(try picture(arrived(.circle(request))) == picture(Request.circle(request)))
        }
        for (takesSeveral, place) in [(true, nil), (false, ""), (false, "/a folder")] {
            let request = Request.synchronize(takesSeveral: takesSeveral, ifAt: place)
            #expect(try picture(arrived(request)) == picture(request))
        }
        #expect(try picture(arrived(.watchCircle)) == picture(Request.watchCircle))
    }

    @Test(arguments: [
        TransportReply.names([]), .names(["entry/00", "", "\u{e9}"]), .blob(nil), .blob([]), .blob([1, 2]), .done,
        .failure(SyncTransportFailure(.full, "full")), .failure(SyncTransportFailure(.unreachable, "")),
        .failure(SyncTransportFailure(.other, "other")),
    ])
    func `what a transport says arrives as it was`(reply: TransportReply) throws {
        guard case .carried(let arrived) = try arrived(.carried(reply)) else {
            throw KeychainError(.internalError, "something else arrived")
        }
        #expect(arrived == reply)
    }

    @Test func `what a transport is asked arrives as it was`() throws {
        let names: [BlobName] = [
            .entry(hash), .segment(name, number: .max, prefix: 0x0102_0304), .head(name), .join(name, step: 4),
        ]
        try expectSame(.question(.circles))
        for some in [[], names.map { SyncBlob([4, 5], as: $0) }] {
            try expectSame(.question(.writeAll(some, in: hash)))
        }
        for kind in BlobName.Kind.allCases { try expectSame(.question(.list(kind, in: hash))) }
        for name in names {
            try expectSame(.question(.read(name, in: hash)))
            try expectSame(.question(.write([1, 2, 3], as: name, in: hash)))
            try expectSame(.question(.remove(name, in: hash)))
        }
    }

    @Test func `every answer arrives as it was`() throws {
        var settings = CircleSettings()
        settings.transport = "/folder"
        settings.lastRound = 1
        settings.waitingSince = .max
        func member(_ number: UInt8) -> CircleStatus.Member {
            CircleStatus.Member(
                id: SyncHash(of: [number]),
                name: number == 1 ? nil : "laptop\u{301}",
                isRecoveryKey: number == 1,
                isThisDevice: number == 2,
                heard: number == 1 ? nil : 5,
                ahead: number == 3 ? 400_000 : nil,
                hasReadAll: number == 1 ? nil : number == 2
            )
        }
        let status = CircleStatus(
            circle: hash,
            isMember: true,
            isReading: true,
            members: [member(1), member(2), member(3)],
            items: 4,
            unsent: 5,
            lost: 6,
            isWaitingForUnlock: true,
            settings: settings
        )
        var report = SyncReport()
        (report.sent, report.received, report.removed, report.lost) = (1, 2, 3, 4)
        (report.refused, report.repaired, report.damaged, report.tooLarge) = (5, 6, 7, 8)
        (report.devicesAdded, report.devicesRemoved) = (9, 10)
        (report.isWaitingForUnlock, report.isWaitingForOthers) = (true, true)
        (report.isReading, report.isMember) = (true, true)
        let versions = EarlierVersion.Reason.allCases.map { reason in
            EarlierVersion(
                number: 3,
                itemClass: .internetPassword,
                uuid: ItemUUID(),
                accessGroup: "group",
                title: "title",
                reason: reason,
                time: -1,
                isThere: true
            )
        }
        let answers: [CircleAnswer] = [
            .done, .status(status), .bytes([1]), .versions([]), .versions(versions), .title(""), .title("title"),
        ]
        for answer in answers { try expectSame(.circle(answer)) }
        try expectSame(.round(report))
        try expectSame(.round(SyncReport()))
    }

    @Test func `a long list of earlier versions comes in parts, whole and in order`() throws {
        let versions = (0..<30_000).map { number in
            EarlierVersion(
                number: Int64(number),
                itemClass: .genericPassword,
                uuid: ItemUUID(),
                accessGroup: "group",
                title: String(repeating: "t", count: 60),
                reason: .replaced,
                time: 0,
                isThere: false
            )
        }
        var arrived: [EarlierVersion] = []
        var parts = 0
        try FrameCodec.encodeInParts(.circle(.versions(versions)), id: 3) { (frame) throws(KeychainError) in
            guard case .response(let response) = try FrameCodec.decodeServer(Array(frame.dropFirst(4))),
                case .circle(.versions(let some)) = response.body
            else { throw KeychainError(.internalError, "something else was sent") }
            parts += 1
            arrived += some
            #expect(response.hasMore == (arrived.count < versions.count))
        }
        #expect(parts > 1 && arrived == versions)
    }

    // MARK: - Bad input

    private func code(_ build: (inout WireCircle) -> Void) throws -> KeychainError.Code? {
        var frame = WireClientFrame()
        frame.request.id = 1
        frame.request.circle = WireCircle()
        build(&frame.request.circle)
        guard case .request(1, let result) = try FrameCodec.decodeClient(frame.serializedBytes()) else { return nil }
        do {
            _ = try result.get()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `bytes that are not what they are sent as get no further than the parser`() throws {
        #expect(try code { _ in } == .unimplemented)
        let short = Data([1, 2, 3])
        let long = Data(repeating: 1, count: 1 << 20)
        for bytes in [Data(), short, long] {
            #expect(try code { $0.takeAnswer = bytes } == .invalidParameter)
            #expect(try code { $0.answer = bytes } == .invalidParameter)
            #expect(try code { $0.takeReveal = bytes } == .invalidParameter)
            #expect(try code { $0.join.answer = bytes } == .invalidParameter)
            #expect(try code { $0.add.card = bytes } == .invalidParameter)
            #expect(try code { $0.addRecoveryKey.card = bytes } == .invalidParameter)
            #expect(try code { $0.remove = bytes } == .invalidParameter)
            #expect(try code { $0.forget = bytes } == .invalidParameter)
            #expect(try code { $0.acceptOlder = bytes } == .invalidParameter)
            #expect(try code { $0.place.token = bytes } == .invalidParameter)
            #expect(try code { $0.bringBack.token = bytes } == .invalidParameter)
            #expect(try code { $0.discard.token = bytes } == .invalidParameter)
        }
        let token = Data(repeating: 1, count: AuthorizationToken.size)
        #expect(try code { $0.versions.token = token } == nil)
        #expect(try code { $0.versions.view.isOwners = true } == nil)
        #expect(
            try code {
                $0.versions.token = token
                $0.versions.view.isOwners = true
            } == .invalidParameter
        )
        #expect(
            try code {
                $0.versions.token = token
                $0.versions.text = String(repeating: "t", count: 5_000)
            } == .invalidParameter
        )
        #expect(try code { $0.carried = WireCircle.Carried() } == .invalidParameter)
    }

    @Test func `a frame of very many names is refused before it is decoded`() throws {
        var frame = WireClientFrame()
        frame.request.id = 1
        frame.request.circle.carried.names.names = [String](repeating: "", count: 200_001)
        let bytes: [UInt8] = try frame.serializedBytes()
        #expect(bytes.count < 1 << 20)
        #expect(throws: KeychainError(.invalidParameter, "")) { try FrameCodec.decodeClient(bytes) }
    }
}
