import Glibc
import KeychainModel
import Testing

@testable import KeychainServer

/// Who gets a place where there are more who want one.
struct ConnectionTableTests {
    private let table: ConnectionTable
    private let ends: Ends

    /// Both ends of each connection.
    private final class Ends {
        var all: [Int32] = []

        deinit {
            for socket in all { close(socket) }
        }

        func socket() -> Int32 {
            var pair: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
            all += pair
            return pair[0]
        }
    }

    init() {
        var limits = ServiceLimits()
        limits.connections = 40
        limits.connectionsOfUser = 20
        limits.handshakes = 16
        limits.handshakesOfUser = 8
        limits.handshakesOfStrangers = 4
        limits.connectionsOfStrangers = 6
        table = ConnectionTable(limits: limits)
        ends = Ends()
    }

    private func add(_ uid: UInt32, isKnown: Bool = true) throws -> (ConnectionTable.Entry, Int32) {
        let socket = ends.socket()
        return (try table.add(socket, uid: uid, isKnown: isKnown), socket)
    }

    private func isOver(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    @Test func `a handshake goes on while the service stops, and nothing is read after it`() throws {
        let known = try add(1)
        table.endHandshake(of: known.0)
        let arriving = try add(1)
        table.stop()
        #expect(isOver(known.1))
        #expect(!isOver(arriving.1))
        table.endHandshake(of: arriving.0)
        #expect(isOver(arriving.1))
        #expect(throws: KeychainError(.notAvailable, "")) { try add(1) }
    }

    @Test func `all strangers together have a small part, and a newcomer among them gets a place of whoever has most`()
        throws
    {
        var held = try (0..<4).map { _ in try add(100, isKnown: false) }
        // Nobody has more than the one who comes.
        #expect(throws: KeychainError(.notAvailable, "")) { try add(100, isKnown: false) }
        held.append(try add(101, isKnown: false))
        #expect(isOver(held[0].1))
        #expect(held.dropFirst().allSatisfy { !isOver($0.1) })
        #expect(table.count == 4)
        // What was given up is taken out once, and counts for nobody.
        for entry in held { table.remove(entry.0) }
        #expect(table.count == 0)
        for uid in UInt32(0)..<4 { _ = try add(uid, isKnown: false) }
        #expect(throws: KeychainError(.notAvailable, "")) { try add(0, isKnown: false) }
    }

    @Test func `known users who hold all handshakes give the oldest of whoever has most to one who comes`() throws {
        let first = try (0..<8).map { _ in try add(1) }
        let second = try (0..<8).map { _ in try add(2) }
        let newcomer = try add(3)
        #expect(isOver(first[0].1) || isOver(second[0].1))
        #expect(!isOver(newcomer.1))
        // And so on, until all have the same.
        for _ in 0..<5 { _ = try add(3) }
        #expect(throws: KeychainError(.notAvailable, "")) { try add(3) }
        #expect([first, second].allSatisfy { held in held.count { !isOver($0.1) } >= 5 })
        // Strangers are one of them.
        for uid in UInt32(100)..<104 { _ = try add(uid, isKnown: false) }
        #expect([first, second].allSatisfy { held in held.count { !isOver($0.1) } >= 4 })
    }

    @Test func `a thousand strangers take nothing from known users`() throws {
        let known = try (1..<5).flatMap { uid in try (0..<2).map { _ in try add(uid) } }
        var strangers: [(ConnectionTable.Entry, Int32)] = []
        for uid in UInt32(1_000)..<2_000 {
            if let new = try? add(uid, isKnown: false) { strangers.append(new) }
            // As their threads do.
            for old in strangers where isOver(old.1) { table.remove(old.0) }
            strangers.removeAll { isOver($0.1) }
        }
        #expect(strangers.count == 4)
        #expect(known.allSatisfy { !isOver($0.1) })
        #expect(throws: Never.self) { try add(5) }
    }

    @Test func `connections that nobody uses are given up before those that are busy`() throws {
        var held: [(ConnectionTable.Entry, Int32)] = []
        for uid in [UInt32(1), 2] {
            for _ in 0..<20 {
                let entry = try add(uid)
                table.endHandshake(of: entry.0)
                held.append(entry)
            }
        }
        for entry in held where entry.0 !== held[7].0 { entry.0.activity.note(isBusy: true) }
        // Each has as many, so that which of them gives one up is open: have the first one have more.
        table.remove(held[39].0)
        _ = try add(3)
        #expect(!isOver(held[7].1))
        _ = try add(4)
        #expect(isOver(held[7].1))
        #expect(held.count { isOver($0.1) } == 1)
    }

    @Test func `a stranger who becomes known leaves the strangers' places to the others`() throws {
        let before = try (0..<4).map { _ in try add(100, isKnown: false) }
        let after = try add(100, isKnown: true)
        #expect(before.allSatisfy { !isOver($0.1) } && !isOver(after.1))
        for entry in before + [after] { table.remove(entry.0) }
        #expect(table.count == 0)
    }
}

extension ConnectionTable.Entry {
    fileprivate static func !== (left: Self, right: Self) -> Bool { left.activity !== right.activity }
}
