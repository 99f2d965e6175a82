import Foundation
import KeychainTestSupport
import Testing

/// Users who mean to keep others from the service, by holding all the connections that they can get.
@Suite(
    .enabled(if: AttackSite.obstacle == nil, "needs root, a root folder that is a mount, setpriv and a C compiler"),
    .serialized
)
struct CrowdTests {
    private let site: AttackSite
    private let service: AttackedService

    init() throws {
        site = try AttackSite.shared.get()
        service = try AttackedService.running(without: [], options: ["--log-level", "notice"])
    }

    private static let users = 8
    private static let connections = 64
    private static let firstKnown: UInt32 = 64_200

    /// How often of five times the victim gets its secret.
    private func answers() throws -> Int {
        var environment = site.environment
        environment["SOCKET"] = service.socket
        return try (0..<5).count { _ in
            try Command([site.victim, "get"], as: AttackSite.user, environment: environment).run()
                .contains(site.secret)
        }
    }

    @Test func `alone the victim is answered (as root)`() throws {
        let answered = try answers()
        #expect(answered == 5)
    }

    @Test func `users of a namespace who stay silent in the handshake keep nobody out (as root)`() throws {
        let crowd = try Crowd(
            at: service.socket,
            .stream,
            users: Self.users,
            of: .lent,
            connections: Self.connections
        )
        let answered = try answers()
        #expect(answered == 5)
        #expect(try crowd.counts().made >= Self.users * Self.connections)
    }

    @Test func `users whom nobody knows and who stay silent in the handshake keep nobody out (as root)`() throws {
        let crowd = try Crowd(
            at: service.socket,
            .stream,
            users: Self.users,
            of: .own(first: 64_300),
            connections: Self.connections
        )
        let answered = try answers()
        #expect(answered == 5)
        #expect(try crowd.counts().made >= Self.users * Self.connections)
    }

    @Test func `users who have keychains and stay silent in the handshake keep nobody out (as root)`() throws {
        var environment = site.environment
        environment["SOCKET"] = service.socket
        environment["REQUEST"] = site.folder + "/add.frame"
        for uid in Self.firstKnown..<(Self.firstKnown + UInt32(Self.users)) {
            let keychain = service.folder + "/data/users/\(uid)/keychain"
            // They are strangers so far, and those of another test may not have left yet.
            for _ in 0..<50 where !FileManager.default.fileExists(atPath: keychain) {
                _ = try Command([site.attacker, "ask"], as: uid, environment: environment).run()
            }
            #expect(FileManager.default.fileExists(atPath: keychain))
        }
        let crowd = try Crowd(
            at: service.socket,
            .stream,
            users: Self.users,
            of: .own(first: Self.firstKnown),
            connections: Self.connections
        )
        let answered = try answers()
        #expect(answered == 5)
        #expect(try crowd.counts().made >= Self.users * Self.connections)
    }
}
