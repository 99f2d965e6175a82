import EnclaveInterface
import Foundation
import Glibc
import KeychainCircles
import KeychainEngine
import KeychainModel
import KeychainProtocol
import KeychainSync
import KeychainTestSupport
import Logging
import SyncTransport
import Testing

@testable import KeychainServer

@Suite("What the service does for a circle")
struct CircleRequestTests {
    private let service: TestService
    private let transport: FolderTransport
    private let circle: CircleID
    private let device: DeviceID

    /// A service whose keychain belongs to a circle of this device alone.
    init() throws {
        var limits = TestService.quickLimits
        limits.carrierTime = .milliseconds(500)
        limits.frameTime = .seconds(5)
        service = try TestService(limits: limits)
        let path = service.folder + "/transport"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        transport = FolderTransport(path: path)
        // So that there is a keychain.
        _ = try RawClient.admitted(service.socket).count(RawClient.add("first"))
        let engine = try KeychainDirectory(path: service.folder(of: getuid()) + "/keychain", cost: .uncheckedLeast)
            .open(
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        defer { engine.close() }
        let owner = try engine.ownerControl()
        try owner.allow(.found, with: try owner.authorize(.synchronize, passcode: nil))
        circle = try engine.circle.found()
        device = try #require(try engine.circle.status().members.first).id
    }

    private func client() throws -> RawClient { try RawClient.admitted(service.socket) }

    private func code(_ request: Request, _ client: RawClient? = nil) throws -> KeychainError.Code? {
        guard case .outcome(.failure(let error))? = try (client ?? self.client()).ask(request).last else { return nil }
        return error.code
    }

    private func status() throws -> CircleStatus {
        guard case .circle(.status(let status)) = try client().ask(.circle(.status)).last else {
            throw RawClient.Ended()
        }
        return status
    }

    /// Stores a synchronizable item.
    private func share(_ account: String, _ client: RawClient) throws {
        guard case .add(var request) = RawClient.add(account).action else { throw RawClient.Ended() }
        request.isSynchronizable = true
        _ = try client.count(.add(request))
    }

    private let token = AuthorizationToken([UInt8](repeating: 7, count: AuthorizationToken.size))

    // MARK: - Attacks

    @Test func `no program changes the circle without its owner`() throws {
        let token = try #require(token)
        let key = try RecoveryKey.random()
        let requests: [(CircleRequest, KeychainError.Code)] = [
            (.place("/tmp", token), .authenticationFailed), (.rename("name", token), .authenticationFailed),
            (.acceptOlder(token), .authenticationFailed),
            (.forget(token), .authenticationFailed), (.versions(.token(token), matching: nil), .authenticationFailed),
            (.bringBack(1, .token(token)), .authenticationFailed), (.discard(1, .token(token)), .authenticationFailed),
            (.found, .duplicateItem), (.begin, .duplicateItem),
            (.remove(device), .noPermission),
            (.addRecoveryKey(key.card, consent: try key.consent(to: circle)), .noPermission),
        ]
        let before = try status()
        let client = try client()
        for (request, expected) in requests { #expect(try code(.circle(request), client) == expected, "\(request)") }
        #expect(try status() == before)
        // Each of them stands in the record.
        let record = service.audit().joined()
        for name in requests.compactMap(\.0.name) { #expect(record.contains("\"\(name)\""), "\(name)") }
    }

    @Test func `a device is no recovery key, and no ceremony adds it unasked`() throws {
        let client = try client()
        let key = try RecoveryKey.random()
        let card = try DeviceCard(kind: .device, signingKey: key.card.signingKey, sealingKey: key.card.sealingKey)
        let consent = try key.consent(to: circle)
        #expect(try code(.circle(.addRecoveryKey(card, consent: consent)), client) == .invalidParameter)
        let nonce = try #require(SyncName([UInt8](repeating: 3, count: 16)))
        let message = try JoinConsent([1] + nonce.bytes + consent)
        #expect(try code(.circle(.add(card, message)), client) == .itemNotFound)
        #expect(try status().members.count == 1)
    }

    @Test func `what a transport has is taken in a round alone`() throws {
        let client = try client()
        #expect(try code(.carried(.done), client) == .invalidParameter)
        #expect(try client.count(RawClient.find("first")) == 1)
    }

    @Test(arguments: ["silent", "another request", "another kind", "gone"])
    func `a carrier that breaks a round off holds up nobody and loses nothing`(how: String) throws {
        let good = try client()
        try share("shared", good)
        let bad = try client()
        bad.send(try RawClient.frame(.synchronize(takesSeveral: true, ifAt: nil), id: 9))
        guard case .response(let question) = try bad.receive(), case .question = question.body else {
            throw RawClient.Ended()
        }
        // Others are served meanwhile.
        #expect(try good.count(RawClient.find("first")) == 1)
        switch how {
        case "another request": bad.send(try RawClient.frame(.status, id: 9))
        case "another kind": bad.send(try RawClient.frame(.carried(.blob([1])), id: 9))
        case "gone": bad.close()
        default: break
        }
        if how != "gone" { bad.waitForEnd() }
        #expect(try status().unsent == 1)
        guard case .round(let report) = try good.carry(over: transport).last else { throw RawClient.Ended() }
        #expect(report.sent == 1 && report.isMember)
    }

    @Test func `a transport that never ends is not read to its end`() throws {
        var limits = TestService.quickLimits
        limits.roundMemoryOfUser = 64 << 10
        limits.roundMemory = 64 << 10
        let small = try TestService(limits: limits)
        let place = small.folder(of: getuid())
        try FileManager.default.createDirectory(atPath: small.folder + "/data/users", withIntermediateDirectories: true)
        _ = try client().carry(over: transport)
        // The same keychain, behind a service that reads less.
        try FileManager.default.copyItem(atPath: service.folder(of: getuid()), toPath: place)
        let client = try RawClient.admitted(small.socket)
        let names = (0..<2_000).map { BlobName.entry(SyncHash(of: [UInt8("\($0)".utf8.count)] + "\($0)".utf8)).text }
        let parts = try client.carry { question in
            if case .list = question { return .names(names) }
            return question.answer(over: transport)
        }
        guard case .outcome(.failure(let error))? = parts.last else { throw RawClient.Ended() }
        #expect(error.code == .dataTooLarge)
        // The control: what is really there, it reads.
        guard case .round? = try client.carry(over: transport).last else { throw RawClient.Ended() }
    }

    @Test func `a circle that is larger than any person's is not read, and harms nothing else`() throws {
        var limits = TestService.quickLimits
        limits.roundMemoryOfUser = 256
        let small = try TestService(limits: limits)
        try FileManager.default.createDirectory(atPath: small.folder + "/data/users", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: service.folder(of: getuid()), toPath: small.folder(of: getuid()))
        let client = try RawClient.admitted(small.socket)
        #expect(try code(.circle(.status), client) == .dataTooLarge)
        guard case .outcome(.failure(let error))? = try client.carry(over: transport).last else {
            throw RawClient.Ended()
        }
        #expect(error.code == .dataTooLarge)
        #expect(try client.count(RawClient.find("first")) == 1)
        // The control.
        #expect(try status().isMember)
    }

    @Test func `a transport's failure is told, and leaves the connection as it is`() throws {
        let client = try client()
        let parts = try client.carry { _ in .failure(SyncTransportFailure(.full, "the folder\nis full")) }
        guard case .outcome(.failure(let error))? = parts.last else { throw RawClient.Ended() }
        #expect(error.code == .diskFull && error.message.contains("is full"))
        guard case .round? = try client.carry(over: transport).last else { throw RawClient.Ended() }
    }

    // MARK: - What is told

    @Test func `a program that carries blobs hears that something is to be sent, and not what`() throws {
        let carrier = try client()
        carrier.send(try RawClient.frame(.watchCircle))
        let ordinary = try client()
        ordinary.send(try RawClient.frame(.watch))
        func event(_ client: RawClient) throws -> KeychainEvent {
            guard case .event(let event) = try client.receive() else { throw RawClient.Ended() }
            return event
        }
        for watcher in [carrier, ordinary] { #expect(try event(watcher) == .lockState(.noPasscode)) }
        let client = try client()
        _ = try client.count(RawClient.add("of this device alone"))
        try share("shared", client)
        #expect(try event(carrier) == .circleChange)
        for _ in 0..<2 { guard case .item(.added, _, _) = try event(ordinary) else { throw RawClient.Ended() } }
        _ = try client.count(RawClient.delete("first"))
        guard case .item(.deleted, _, _) = try event(ordinary) else { throw RawClient.Ended() }
    }

    @Test func `what came stands in the record, also where nothing can be sent after that`() throws {
        let place = service.folder + "/other"
        let other = try KeychainDirectory(path: place, cost: .uncheckedLeast).open(
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        defer { other.close() }
        // The owner adds another device by a service of its own, which has the same enclave.
        let engine = try KeychainDirectory(path: service.folder(of: getuid()) + "/keychain", cost: .uncheckedLeast)
            .open(
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        let owners = (member: try engine.ownerControl(), newcomer: try other.ownerControl())
        _ = try engine.circle.synchronize(over: transport)
        let request = try other.circle.requestToJoin()
        let answer = try engine.circle.answer(request)
        try engine.circle.take(try other.circle.take(answer))
        func token(_ owner: any EnclaveControl) throws -> AuthorizationToken {
            try owner.authorize(.synchronize, passcode: nil)
        }
        func digits(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
        let shown = try owners.member.type(
            digits: digits(owners.newcomer.ceremony().digits),
            with: token(owners.member)
        )
        _ = try owners.newcomer.type(digits: digits(shown.digits), with: token(owners.newcomer))
        let founding = try #require(try engine.circle.replica()?.circle.entries.first)
        try engine.circle.add(request.card, try other.circle.join(answer, founding: founding))
        _ = try engine.circle.synchronize(over: transport)
        engine.close()
        var add = AddRequest(itemClass: .genericPassword)
        add.attributes[.account] = .string("from elsewhere")
        add.isSynchronizable = true
        _ = try other.keychain(of: Caller(name: "other", groups: AccessGroups(["group"]))).add(add)
        for _ in 0..<3 { _ = try other.circle.synchronize(over: transport) }

        let client = try client()
        try share("shared", client)
        let transport = transport
        let parts = try client.carry { question in
            if case .write = question { return .failure(SyncTransportFailure(.full, "full")) }
            return question.answer(over: transport)
        }
        guard case .outcome(.failure)? = parts.last else { throw RawClient.Ended() }
        #expect(service.audit().filter { $0.contains("\"sync-receive\"") && $0.contains("\"rows\"") }.count == 1)
    }

    @Test(arguments: [true, false])
    func `only who takes several blobs at once is asked to write them so`(takesSeveral: Bool) throws {
        let client = try client()
        _ = try client.carry(over: transport)
        try share("shared", client)
        var written: [[BlobName.Kind]] = []
        _ = try client.carry(takesSeveral: takesSeveral) { question in
            switch question {
            case .write(_, let name, _): written.append([name.kind])
            case .writeAll(let blobs, _): written.append(blobs.map(\.name.kind))
            default: break
            }
            return question.answer(over: transport)
        }
        #expect(written == (takesSeveral ? [[.segment, .head]] : [[.segment], [.head]]))
    }

    @Test func `a round in which nothing comes leaves no line in the record`() throws {
        let client = try client()
        _ = try client.carry(over: transport)
        let before = service.audit().count
        for _ in 0..<3 { _ = try client.carry(over: transport) }
        #expect(service.audit().count == before)
    }
}

extension RawClient {
    /// Begins a round, and says what a transport has.
    func carry(
        takesSeveral: Bool = false,
        ifAt place: String? = nil,
        _ answer: (TransportQuestion) -> TransportReply
    ) throws -> [Response.Body] {
        let id: UInt64 = 77
        guard send(try Self.frame(.synchronize(takesSeveral: takesSeveral, ifAt: place), id: id)) else { throw Ended() }
        var parts: [Response.Body] = []
        while true {
            guard case .response(let response) = try receive() else { throw Ended() }
            if case .question(let question) = response.body {
                send(try Self.frame(.carried(answer(question)), id: id))
                continue
            }
            parts.append(response.body)
            if !response.hasMore { return parts }
        }
    }

    func carry(over transport: some SyncTransport) throws -> [Response.Body] {
        try carry { $0.answer(over: transport) }
    }
}
