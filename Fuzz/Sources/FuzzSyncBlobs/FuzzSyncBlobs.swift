import Foundation
import FuzzSupport

@testable import KeychainModel
@testable import KeychainSync

/// The blobs of synchronization. The first byte of an input chooses the kind.
///
/// What is taken is written as it was read: no blob has two encodings.
@main
enum FuzzSyncBlobs: FuzzTarget {
    private static let kinds: [(name: String, reencode: @Sendable ([UInt8]) throws(SyncRefusal) -> [UInt8])] = [
        ("entry", { (bytes) throws(SyncRefusal) in try Entry(bytes).encoded }),
        ("segment", { (bytes) throws(SyncRefusal) in try Segment(bytes).encoded }),
        ("head", { (bytes) throws(SyncRefusal) in try Head(bytes).encoded }),
        ("records", { (bytes) throws(SyncRefusal) in Record.encode(try Record.list(bytes)) }),
        ("contents", { (bytes) throws(SyncRefusal) in bytesOf(try Padding.padded(Padding.contents(of: bytes))) }),
        ("request", { (bytes) throws(SyncRefusal) in try JoinRequest(bytes).encoded }),
        ("answer", { (bytes) throws(SyncRefusal) in try JoinAnswer(bytes).encoded }),
        ("reveal", { (bytes) throws(SyncRefusal) in try JoinReveal(bytes).encoded }),
        ("consent", { (bytes) throws(SyncRefusal) in try JoinConsent(bytes).encoded }),
    ]

    private static func bytesOf(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

    static func run(_ bytes: [UInt8]) throws {
        var input = ByteSource(bytes)
        let kind = input.choice(of: kinds)
        let contents = input.rest()
        // A recovery key is text that somebody types.
        if let key = try? RecoveryKey(text: String(decoding: contents.prefix(60), as: UTF8.self)) {
            require((try? RecoveryKey(text: key.text))?.card == key.card, "a recovery key is read as it was printed")
        }
        guard let again = try? kind.reencode(contents) else { return }
        require(again == contents, "an encoding that the decoder takes is the only one: \(kind.name)")
    }

    /// The blobs of the vectors, which lie beside the tests.
    static func seeds() throws -> [String: [UInt8]] {
        struct Vectors: Decodable {
            struct Blob: Decodable {
                let kind: String
                let bytes: String
            }
            let blobs: [Blob]
        }
        let file = URL(filePath: "Tests/KeychainSyncTests/Golden/sync-1.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        var seeds: [String: [UInt8]] = [:]
        for (number, blob) in vectors.blobs.enumerated() {
            guard let kind = kinds.firstIndex(where: { $0.name == blob.kind }) else { continue }
            let digits = blob.bytes.compactMap(\.hexDigitValue)
            let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
            seeds["\(blob.kind)-\(number)"] = [UInt8(kind)] + bytes
        }
        return seeds
    }
}
