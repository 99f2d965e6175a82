import Foundation
import KeychainModel
import KeychainProtocol
import Testing

@testable import KeychainServer

/// Users who have no keychain, and who only ask.
struct AbsentKeychainTests {
    private let service: TestService

    init() throws {
        service = try TestService()
    }

    private var isMade: Bool { FileManager.default.fileExists(atPath: service.folder()) }

    @Test func `who only asks is answered as by an empty keychain, and nothing is made`() throws {
        let client = try RawClient.admitted(service.socket)
        func summaries() throws -> [String] {
            let requests: [Request] = [
                .operation(RawClient.find("a")), .operation(RawClient.find(limit: .all)),
                .operation(RawClient.find("a", explain: true)), .operation(RawClient.delete("a")),
                .batch([RawClient.find("a"), RawClient.delete("b")]), .presence,
            ]
            return try requests.flatMap { try client.ask($0) }.map { "\($0)" }
        }
        let absent = try summaries()
        let watcher = try RawClient.admitted(service.socket)
        watcher.send(try RawClient.frame(.watch))
        guard case .event(.lockState(.noPasscode)) = try watcher.receive() else {
            Issue.record("no state")
            return
        }
        #expect(!isMade)
        // The control: a keychain that is there and empty says the same.
        _ = try client.ask(.batch([]))
        #expect(isMade)
        #expect(try summaries() == absent)
        _ = try client.count(RawClient.add("a"))
        #expect(try client.count(RawClient.find("a")) == 1)
    }

    @Test func `an item that somebody adds is found by who asked before`() throws {
        let reader = try RawClient.admitted(service.socket)
        #expect(try reader.count(RawClient.find("a")) == 0)
        let writer = try RawClient.admitted(service.socket)
        _ = try writer.count(RawClient.add("a"))
        #expect(try reader.count(RawClient.find("a")) == 1)
    }

    @Test func `a hundred users who only search leave nothing (as root)`() throws {
        try #require(getuid() == 0, "only root can be other users")
        for uid in UInt32(64_500)..<64_600 {
            let client = try RawClient.admitted(service.socket, uid: uid)
            #expect(try client.count(RawClient.find("a")) == 0)
            client.close()
        }
        #expect(!FileManager.default.fileExists(atPath: service.folder + "/data/users"))
    }

    @Test func `a folder that is somebody else's is an error, and no empty keychain (as root)`() throws {
        try #require(getuid() == 0, "only root can give files away")
        let client = try RawClient.admitted(service.socket)
        let folder = service.folder() + "/keychain"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        chown(folder, 64_501, 64_501)
        #expect(throws: KeychainError(.notAvailable, "")) { try client.count(RawClient.find("a")) }
    }
}
