import CKeychainLinux
import CProbe
import Foundation
import KeychainClient
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Logging
import Synchronization
import Testing

@Suite("A connection to the keychain service", .timeLimit(.minutes(2)))
struct ServiceConnectionTests {
    @Test func `every call has its answer`() throws {
        let service = try FakeService { connection in
            try connection.serve { request in
                switch request.action {
                case .add, .find: .outcome(.items([item(ofSize: 3)]))
                case .update: .outcome(.count(5))
                case .delete: .outcome(.failed(KeychainError(.missingEntitlement, "no")))
                default: nothing(request)
                }
            }
        }
        let client = service.client()
        let query = ItemQuery(itemClass: .genericPassword)
        #expect(try client.add(AddRequest(itemClass: .genericPassword))?.secrets[.valueData]?.count == 3)
        #expect(try client.findAny().count == 1)
        #expect(try client.update(UpdateRequest(query: query)) == 5)
        #expect(throws: KeychainError(.missingEntitlement, "")) { try client.delete(DeleteRequest(query: query)) }
        #expect(try client.transact([.delete(DeleteRequest(query: query))]).count == 1)
        #expect(try client.identity() == FakeConnection.me)
        #expect(try client.status().connections == 1)
        #expect(service.connections == 1)
    }

    @Test func `several operations are a batch or a transaction, on behalf of the program that is named`() throws {
        let asked = Mutex<[String]>([])
        let service = try FakeService { connection in
            try connection.serve { request in
                let text =
                    switch request {
                    case .batch(let operations): "batch of \(operations.count)"
                    case .onBehalf(let program, .batch(let operations)): "batch of \(operations.count) for \(program)"
                    case .onBehalf(let program, .transaction): "transaction for \(program)"
                    default: "something else"
                    }
                asked.withLock { $0.append(text) }
                return nothing(request)
            }
        }
        let client = service.client()
        let finds = [KeychainOperation](repeating: .find(FindRequest(query: ItemQuery(itemClass: .key))), count: 2)
        for (allOrNothing, program) in [(false, nil), (false, "p"), (true, "p")] {
            let outcomes = try client.performTogether(finds, allOrNothing: allOrNothing, onBehalfOf: program)
            #expect(outcomes.count == 2)
        }
        #expect(asked.withLock { $0 } == ["batch of 2", "batch of 2 for p", "transaction for p"])
    }

    @Test func `the answer to hello comes in one message with a descriptor`() throws {
        let descriptors = Mutex<[Int32]>([])
        let service = try FakeService { connection in
            try connection.serve { request in
                descriptors.withLock { $0.append(connection.descriptors) }
                return nothing(request)
            }
        }
        try service.client().findAny()
        #expect(descriptors.withLock { $0 } == [1])
    }

    @Test func `a long list is put together`() throws {
        let items = (0..<30).map { _ in item(ofSize: 200_000) }
        let service = try FakeService { connection in try connection.serve { _ in .outcome(.items(items)) } }
        #expect(try service.client().findAny().map(\.reference) == items.map(\.reference))
    }

    @Test func `why nothing matched is told to whoever asks for it`() throws {
        let service = try FakeService { connection in
            try connection.serve { request in
                if case .find(let find) = request.action {
                    return .outcome(.items([], explanation: find.query.wantsExplanation ? ["because"] : []))
                }
                return nothing(request)
            }
        }
        for (level, expected) in [(Logger.Level.debug, ["because"]), (.info, [])] {
            let recorder = LogRecorder()
            let address = ServiceAddress(path: service.path, kind: .session)
            try ServiceConnection(address, queryLog: recorder.logger(level)).findAny()
            #expect(recorder.messages == expected)
        }
    }

    @Test func `many threads share few connections and each has its own answers`() throws {
        let service = try FakeService { connection in
            try connection.serve { request in
                guard case .delete(let request) = request.action,
                    case .integer(let number) = request.query.filters["crtr"]
                else { return nothing(request) }
                return .outcome(.count(Int(number)))
            }
        }
        let client = service.client()
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 32) { thread in
            for round in 0..<50 {
                var query = ItemQuery(itemClass: .genericPassword)
                let number = thread * 1000 + round
                query.filters["crtr"] = .integer(Int64(number))
                if (try? client.delete(DeleteRequest(query: query))) != number { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
        #expect(service.connections <= 8)
    }

    @Test func `what is too large is refused here, and the connection goes on`() throws {
        let service = try FakeService { connection in try connection.serve(nothing) }
        let client = service.client()
        var request = AddRequest(itemClass: .internetPassword)
        request.secrets[.valueData] = SecretBytes(count: 16 << 20) { _ in }
        for key in AttributeTable.attributes(of: .internetPassword).map(\.key) {
            request.attributes[key] = .string(String(repeating: "x", count: 1 << 20))
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try client.add(request) }
        try client.findAny()
    }

    // MARK: - Broken connections

    @Test func `a service that started anew is used without a failure`() throws {
        let first = try FakeService { connection in try connection.serve(nothing) }
        let client = first.client()
        try client.findAny()
        first.stop()
        let second = try FakeService(at: first.path) { connection in try connection.serve(nothing) }
        try client.addAny()
        try client.findAny()
        #expect(second.connections == 1)
    }

    @Test func `a service that is just starting anew is waited for`() throws {
        let first = try FakeService { connection in try connection.serve(nothing) }
        let client = first.client()
        try client.findAny()
        first.stop()
        let path = first.path
        let second = Mutex<FakeService?>(nil)
        Thread.detachNewThread {
            usleep(300_000)
            let service = try? FakeService(at: path) { connection in try connection.serve(nothing) }
            second.withLock { $0 = service }
        }
        try client.addAny()
        #expect(second.withLock { $0?.connections } == 1)
    }

    @Test func `a search whose connection broke is made again, once`() throws {
        let count = Atomic(0)
        let service = try FakeService { connection in
            try connection.admit()
            while let (id, request) = try connection.next() {
                if count.add(1, ordering: .relaxed).newValue == 1 { return }
                try connection.answer(id, nothing(request))
            }
        }
        try service.client().findAny()
        #expect(count.load(ordering: .relaxed) == 2)
        #expect(service.connections == 2)
    }

    @Test func `a change whose connection broke is an error that says so, and is not made again`() throws {
        let count = Atomic(0)
        let service = try FakeService { connection in
            try connection.admit()
            while try connection.next() != nil {
                count.add(1, ordering: .relaxed)
                return
            }
        }
        let client = service.client()
        do {
            try client.addAny()
            Issue.record("the add succeeded")
        } catch {
            #expect(error.code == .notAvailable)
            #expect(error.message.contains("not known"))
        }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func `a connection that the service closes while much is sent raises no signal`() throws {
        let service = try FakeService { connection in
            try connection.admit()
            var byte: UInt8 = 0
            _ = recv(connection.descriptor, &byte, 1, 0)
        }
        var request = AddRequest(itemClass: .genericPassword)
        request.secrets[.valueData] = SecretBytes(count: 8 << 20) { _ in }
        #expect(throws: KeychainError(.notAvailable, "")) { try service.client(.short).add(request) }
        // What was not sent whole was not done, and is sent once more.
        #expect(service.connections == 2)
    }

    // MARK: - Services that are none

    @Test func `whoever says nothing, or stops after hello or a request, makes calls fail`() throws {
        let silent = try FakeService { _ in sleep(20) }
        let afterHello = try FakeService { connection in
            try connection.sayHello()
            sleep(20)
        }
        let afterWelcome = try FakeService { connection in
            try connection.admit()
            sleep(20)
        }
        for service in [silent, afterHello, afterWelcome] {
            let client = service.client(.short)
            #expect(throws: KeychainError(.notAvailable, "")) { try client.findAny() }
            #expect(throws: KeychainError(.notAvailable, "")) { try client.addAny() }
        }
    }

    @Test func `whoever answers a byte at a time makes calls fail`() throws {
        let service = try FakeService { connection in
            try connection.admit()
            guard let (id, _) = try connection.next() else { return }
            let item = item(ofSize: 5000)
            let response = Response(id: id, body: .outcome(.items([item])))
            for byte in try FrameCodec.encode(.response(response)) {
                connection.send([byte])
                usleep(10_000)
            }
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try service.client(.short).findAny() }
    }

    @Test func `whoever never stops sending parts makes calls fail`() throws {
        let service = try FakeService { connection in
            try connection.admit()
            guard let (id, _) = try connection.next() else { return }
            for _ in 0..<2000 {
                let response = Response(id: id, hasMore: true, body: .outcome(.items([])))
                connection.send(try FrameCodec.encode(.response(response)))
                usleep(10_000)
            }
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try service.client(.short).findAny() }
    }

    @Test(arguments: [
        [UInt8](repeating: 0xFF, count: 64), [0, 0, 0, 0], [0, 0, 0, 3, 1, 2, 3], [0x7F, 0, 0, 0], [0, 0, 0, 9, 1],
        Array("HTTP/1.1 200 OK\r\n\r\n".utf8),
    ])
    func `garbage, before and after the handshake, makes calls fail`(garbage: [UInt8]) throws {
        let early = try FakeService { connection in connection.send(garbage) }
        let late = try FakeService { connection in
            try connection.admit()
            _ = try connection.next()
            connection.send(garbage)
        }
        for service in [early, late] {
            let client = service.client(.short)
            #expect(throws: KeychainError(.notAvailable, "")) { try client.findAny() }
            #expect(throws: KeychainError(.notAvailable, "")) { try client.addAny() }
        }
    }

    @Test func `an answer to another request, or of another shape, makes calls fail`() throws {
        let other = try FakeService { connection in
            try connection.admit()
            while let (id, _) = try connection.next() { try connection.answer(id + 1, .outcome(.items([]))) }
        }
        let count = try FakeService { connection in try connection.serve { _ in .outcome(.count(0)) } }
        let hello = try FakeService { connection in
            try connection.admit()
            while try connection.next() != nil { try connection.sayHello() }
        }
        for service in [other, count, hello] {
            #expect(throws: KeychainError(.notAvailable, "")) { try service.client(.short).findAny() }
        }
    }

    @Test func `a service of another version makes calls fail`() throws {
        let service = try FakeService { connection in
            try connection.sayHello(versions: 70...80)
            try connection.readAuthentication()
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try service.client(.short).findAny() }
    }

    @Test(arguments: [KeychainError.Code.missingEntitlement, .authenticationFailed, .notAvailable])
    func `a refusal has the service's reason`(code: KeychainError.Code) throws {
        let early = try FakeService { connection in
            connection.send(try FrameCodec.encode(.refusal(KeychainError(code, "because"))))
        }
        let late = try FakeService { connection in
            try connection.admit()
            _ = try connection.next()
            connection.send(try FrameCodec.encode(.refusal(KeychainError(code, "because"))))
        }
        for service in [early, late] {
            let error = #expect(throws: KeychainError.self) { try service.client(.short).findAny() }
            #expect(error?.code == code)
            #expect(error?.message == "because")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can listen as somebody else"))
    func `a socket of another user's is not the service's (as root)`() throws {
        let stranger = try FakeService(uid: 65534) { connection in try connection.serve(nothing) }
        #expect(throws: KeychainError(.notAvailable, "")) { try stranger.client().findAny() }
        let own = try FakeService(uid: geteuid()) { connection in try connection.serve(nothing) }
        try own.client().findAny()
    }

    @Test func `no socket, a file in its place, and a socket that nobody listens at make calls fail`() throws {
        let missing = ServiceAddress(path: FakeService.temporaryPath(), kind: .session)
        let file = ServiceAddress(path: FakeService.temporaryPath(), kind: .session)
        try Data().write(to: URL(fileURLWithPath: file.path))
        defer { unlink(file.path) }
        let stopped = try FakeService { connection in try connection.serve(nothing) }
        stopped.stop()
        let long = ServiceAddress(path: "/" + String(repeating: "x", count: 300), kind: .session)
        for address in [missing, file, ServiceAddress(path: stopped.path, kind: .session), long] {
            let client = ServiceConnection(address, deadlines: .short)
            #expect(throws: KeychainError(.notAvailable, "")) { try client.findAny() }
            #expect(throws: KeychainError(.notAvailable, "")) { try client.addAny() }
        }
    }

    @Test func `a full queue makes calls fail`() throws {
        let service = try FakeService(backlog: 0, nil)
        var waiting: [Int32] = []
        defer { waiting.forEach { close($0) } }
        while true {
            let descriptor = clinux_client_socket()
            waiting.append(descriptor)
            guard clinux_client_connect(descriptor, service.path) == 0 else { break }
        }
        #expect(waiting.count > 1)
        #expect(throws: KeychainError(.notAvailable, "")) { try service.client(.short).findAny() }
    }

    @Test func `a keychain of the service's is looked over elsewhere`() {
        let client = ServiceConnection(ServiceAddress(path: "/nowhere", kind: .session))
        #expect(throws: KeychainError(.notAvailable, "")) { try client.verify() }
        #expect(throws: KeychainError(.notAvailable, "")) { try client.repair() }
    }

    // MARK: - Processes

    @Test func `a child of a fork is told from its parent, and its sockets keep clear of closed standard descriptors`()
    {
        let generation = clinux_fork_generation()
        #expect(clinux_fork_generation() == generation)
        let child = cprobe_fork()
        if child == 0 {
            // Nothing here but what a handler of signals may do.
            close(0)
            close(1)
            let isApart = clinux_fork_generation() != generation && clinux_client_socket() > 2
            _exit(isApart ? 0 : 1)
        }
        var status: Int32 = -1
        waitpid(child, &status, 0)
        #expect(status == 0)
        #expect(clinux_fork_generation() == generation)
    }
}
