import Foundation
import KeychainSync
import SyncSimulation

/// Prints vectors of the formats of synchronization, for other implementations and for every later version of this one: blobs,
/// what is in them, and changes of them with the refusal that each is to get. What it printed once for a version is not printed
/// anew.
@main
enum WriteVectors {
    private typealias Change = SyncVectors.Change

    /// - Throws: also for arguments other than `state`, which prints replicas in pieces.
    static func main() throws {
        if CommandLine.arguments.dropFirst() == ["state"] { return try writeState() }
        guard CommandLine.arguments.count == 1 else { throw SyncRefusal.unknownKind(0) }
        let samples = try Samples()
        var blobs: [SyncVectors.Blob] = []
        var changes: [Change] = []
        for (number, blob) in samples.blobs.enumerated() {
            let decoded = try DecodedBlob(kind: blob.kind, blob.bytes)
            blobs.append(
                SyncVectors.Blob(kind: blob.kind, name: blob.name, bytes: hex(blob.bytes), fields: decoded.fields)
            )
            for change in Self.changes(of: blob.bytes, blob.name, number) {
                var change = change
                do {
                    _ = try DecodedBlob(kind: blob.kind, change.applied(to: blob.bytes))
                } catch let refusal as SyncRefusal {
                    change.result = refusal.name
                }
                changes.append(change)
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let file = SyncVectors(secret: hex(samples.secret), blobs: blobs, changes: changes)
        FileHandle.standardOutput.write(try encoder.encode(file) + Data("\n".utf8))
    }

    private static func writeState() throws {
        var file: [String: [String: String]] = [:]
        for (name, replica) in try SampleReplicas().all {
            for (piece, bytes) in replica.pieces { file[name, default: [:]][hex(piece.key)] = hex(bytes) }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        FileHandle.standardOutput.write(try encoder.encode(file) + Data("\n".utf8))
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Changes of single fields, to just beyond what is allowed.
    private static func targeted(_ name: String, _ number: Int) -> [Change] {
        func set(_ offset: Int, _ bytes: String) -> Change { Change(blob: number, offset: offset, bytes: bytes) }
        let zeros = String(repeating: "0", count: 64)
        return switch name {
        // The circle, the count of parents, the kind.
        case "that founds a circle": [set(1, hex(Samples.hash(1).bytes)), set(33, "0001"), set(67, "06")]
        case "that raises the floor":
            [set(1, zeros), set(33, "0000"), set(33, "0021"), set(67 + 64, "01"), set(132, "00000003")]
        // The circle, the number, the hash before, the flag.
        case "with two boxes":
            [set(1, zeros), set(49, "0000000000000000"), set(49, "0000000000000002"), set(89, "02"), set(90, "0003")]
        // The first segment, the count and the hashes of the spine.
        case "that ends a base":
            [
                set(90, "0000000000000000"), set(90, "0000000000000004"), set(98, "2711"), set(98, "0001"),
                set(100, zeros),
                set(49, "0001000000000000"),
            ]
        // One parent alone, and no end.
        case "that merges entries": [set(33, "0001"), set(33, "0000"), set(132, "00000001")]
        case "that ends a journal": [set(132, "00000002"), set(136, "0000")]
        // The circle, the counter, the newest segment, the base, the count of points, a point's number, the entries, the stamp.
        case "with marks":
            [
                set(1, zeros), set(81, "0000000000000000"), set(81, "0001000000000000"), set(89, "0000000000000000"),
                set(89, "0001000000000000"), set(97, zeros), set(129, "0000000000000004"), set(137, "02"),
                set(138, "0101"), set(156, "0000000000000000"), set(156, "0000000000000000" + zeros),
                set(310, "0000"), set(310, "0021"), set(376, "0001000000000000"),
            ]
        // The circle, the count of entries, a head's counter and hash.
        case "of a member":
            [
                set(17, zeros), set(49, "0000"), set(49, "0021"), set(1_447, "0000000000000000"),
                set(1_447, "0001000000000000"), set(1_455, zeros), set(115, "02"),
            ]
        // The stamp, the number, the flag, the count.
        case "an item and a tombstone":
            [
                set(35, "0001000000000000"), set(43, "0000000000000000"), set(43, "0001000000000000"), set(51, "02"),
                set(0, "28f6"), set(52, "00078001"),
            ]
        default: []
        }
    }

    private static func changes(of bytes: [UInt8], _ name: String, _ number: Int) -> [Change] {
        var changes = [Change(blob: number, appended: "00"), Change(blob: number, zeros: 2_000_000)]
        let lengths = Set([0, 1, 2, 33, 34, 35, bytes.count / 2, bytes.count - 64, bytes.count - 1])
        for length in lengths.sorted() where length >= 0 && length < bytes.count {
            changes.append(Change(blob: number, length: length))
        }
        // Every byte of short parts, and some of long ones.
        var offset = 0
        while offset < bytes.count {
            let change: UInt8 = offset.isMultiple(of: 2) ? 1 : 0x80
            changes.append(Change(blob: number, offset: offset, bytes: hex([bytes[offset] ^ change])))
            offset += offset < 220 ? 1 : 61
        }
        changes += targeted(name, number)
        for offset in [0, 1, 40] where offset + 200 < bytes.count {
            changes.append(Change(blob: number, offset: offset, bytes: hex([UInt8](repeating: 0xFF, count: 160))))
            changes.append(Change(blob: number, offset: offset, bytes: hex([UInt8](repeating: 0, count: 160))))
        }
        return changes
    }
}
