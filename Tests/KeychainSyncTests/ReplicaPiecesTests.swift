import Foundation
import KeychainModel
import SyncSimulation
import Testing

@testable import KeychainSync

@Suite("A replica in pieces")
struct ReplicaPiecesTests {
    private static func samples() throws -> [(name: String, replica: Replica)] { try SampleReplicas().all }

    @Test func `what is put together from its pieces has the same pieces, and they are named by their keys`() throws {
        for (name, replica) in try Self.samples() {
            let pieces = replica.pieces
            let again = try Replica(pieces: pieces)
            #expect(again.pieces == pieces, "\(name)")
            #expect(again.itemsDigest == replica.itemsDigest && again.circle.entries == replica.circle.entries)
            #expect(again.circle.state.members.keys == replica.circle.state.members.keys)
            for piece in pieces.keys { #expect(try ReplicaPiece(key: piece.key) == piece) }
            #expect(pieces.values.allSatisfy { $0.count <= ReplicaPiece.largest })
        }
    }

    /// A value with all that is stored in it, in one order.
    private func described(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        let children = mirror.children.map { ($0.label ?? "") + "=" + described($0.value) }
        switch mirror.displayStyle {
        case .dictionary, .set: return "{" + children.sorted().joined(separator: ",") + "}"
        default: return children.isEmpty ? "\(value)" : "(" + children.joined(separator: ",") + ")"
        }
    }

    @Test func `nothing that a replica has is left out of its pieces`() throws {
        var replicas = try Self.samples().map(\.replica)
        replicas[0].acceptOlder()
        // What takes days to come about.
        replicas[1].lostSince = [SyncHash(of: [1]): 2, SyncHash(of: [2]): 3]
        replicas[1].unreadSince = [SyncMember.name(): 4]
        replicas[1].hasLockedSecrets = true
        (replicas[1].differences, replicas[1].suspectedSince, replicas[1].stampFloor) = (5, 6, 7)
        for replica in replicas { #expect(described(try Replica(pieces: replica.pieces)) == described(replica)) }
        // What none of them has would not be missed.
        func properties(_ replica: Replica) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: Mirror(reflecting: replica).children.map { ($0.label ?? "", described($0.value)) }
            )
        }
        let plain = properties(Replica(of: replicas[0].device, in: replicas[0].circle, required: []))
        let unused = plain.keys.filter { label in replicas.allSatisfy { properties($0)[label] == plain[label] } }
        #expect(Set(unused) == ["rules", "longestReading"])
    }

    @Test func `the pieces that have changed make the new state of the old one's`() throws {
        let samples = try Self.samples()
        for (from, earlier) in samples {
            for (to, later) in samples where later.circle.entries.starts(with: earlier.circle.entries) {
                var pieces = earlier.pieces
                for (piece, bytes) in later.pieces(since: earlier) { pieces[piece] = bytes }
                #expect(pieces == later.pieces, "\(from) → \(to)")
            }
            #expect(earlier.pieces(since: earlier).isEmpty)
        }
    }

    @Test func `a change of one item in a long journal is a small one of the disk`() throws {
        let alice = try SyncMember(founding: SyncSite())
        try alice.synchronize()
        for number in 0..<250 { try alice.write(UInt8(number), 1) }
        let before = alice.replica
        try alice.write(7, 2)
        let pieces = alice.replica.pieces(since: before)
        #expect(pieces.count == 3)
        #expect(pieces.values.reduce(0) { $0 + ($1?.count ?? 0) } < 4_000)
        #expect(before.pieces.values.reduce(0) { $0 + $1.count } > 20_000)
    }

    @Test func `a missing, shortened or foreign piece is refused`() throws {
        for (name, replica) in try Self.samples() {
            let whole = replica.pieces
            for piece in whole.keys {
                var pieces = whole
                pieces[piece] = nil
                if case .item = piece {
                } else if case .journal = piece {
                } else if piece == .entry(UInt32(replica.circle.entries.count - 1)) {
                } else {
                    #expect(throws: SyncRefusal.self, "\(name) \(piece)") { try Replica(pieces: pieces) }
                }
                let bytes = whole[piece] ?? []
                let changed: [[UInt8]] = [[], [1], [2] + bytes.dropFirst(), Array(bytes.dropLast())]
                for bytes in changed {
                    pieces[piece] = bytes
                    #expect(throws: SyncRefusal.self, "\(name) \(piece)") { try Replica(pieces: pieces) }
                }
            }
        }
    }

    @Test(arguments: [[], [0], [6], [1, 0], [2, 0, 0, 0], [4, 2] + [UInt8](repeating: 0, count: 16)] as [[UInt8]])
    func `other keys are none`(key: [UInt8]) { #expect(throws: SyncRefusal.self) { try ReplicaPiece(key: key) } }

    @Test func `pieces that were written once are read for ever, and written as they were`() throws {
        let url = try #require(Bundle.module.resourceURL).appending(path: "Golden/sync-state-1.json")
        let golden = try JSONDecoder().decode([String: [String: String]].self, from: Data(contentsOf: url))
        #expect(golden.count == 4)
        for (name, written) in golden {
            var pieces: [ReplicaPiece: [UInt8]] = [:]
            for (key, bytes) in written {
                pieces[try ReplicaPiece(key: SyncVectors.bytes(key))] = SyncVectors.bytes(bytes)
            }
            #expect(try Replica(pieces: pieces).pieces == pieces, "\(name)")
        }
    }
}
