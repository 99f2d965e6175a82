import Crypto
import Foundation
import KeychainSync
import SyncSimulation
import Testing

/// What another implementation could run: blobs of version 1, what is in them, and what is to be refused.
@Suite("Formats of synchronization")
struct VectorTests {
    private static func golden(_ name: String) throws -> URL {
        try #require(Bundle.module.resourceURL).appending(path: "Golden/\(name)")
    }

    private let file: SyncVectors

    init() throws {
        file = try JSONDecoder().decode(SyncVectors.self, from: Data(contentsOf: Self.golden("sync-1.json")))
    }

    @Test func `a blob that was written once is read for ever, and has one encoding`() throws {
        #expect(file.blobs.count == 22)
        for blob in file.blobs {
            let bytes = SyncVectors.bytes(blob.bytes)
            let decoded = try DecodedBlob(kind: blob.kind, bytes)
            #expect(decoded.encoded == bytes, "\(blob.kind) \(blob.name)")
            #expect(decoded.fields == blob.fields, "\(blob.kind) \(blob.name)")
        }
    }

    @Test func `a changed blob is another one, or is refused for the documented reason`() throws {
        #expect(file.changes.count > 4_000)
        for change in file.changes {
            let blob = file.blobs[change.blob]
            let bytes = change.applied(to: SyncVectors.bytes(blob.bytes))
            do {
                let decoded = try DecodedBlob(kind: blob.kind, bytes)
                #expect(change.result == "valid", "\(blob.kind) \(blob.name) \(change)")
                #expect(decoded.encoded == bytes, "\(blob.kind) \(blob.name) \(change)")
            } catch let refusal as SyncRefusal {
                #expect(refusal.name == change.result, "\(blob.kind) \(blob.name) \(change)")
            }
        }
    }

    @Test func `boxes of segments that were sealed once are opened for ever`() throws {
        let epoch = EpochSecret(SymmetricKey(data: SyncVectors.bytes(file.secret)))
        let records = try Record.list(SyncVectors.bytes(try #require(file.blobs.first { $0.kind == "records" }).bytes))
        let segments = try file.blobs.filter { $0.kind == "segment" }.map { try Segment(SyncVectors.bytes($0.bytes)) }
        var found: [[SyncHash]] = []
        for segment in segments {
            for box in segment.boxes {
                let data = segment.header.associatedData(of: box.tier, in: box.epoch)
                let contents = try epoch.open(box.sealed, for: box.tier, authenticating: data)
                let opened = try Record.list(Padding.contents(of: contents.withUnsafeBytes { Array($0) }))
                found.append(opened.map(\.version.hash))
            }
        }
        let versions = records.map(\.version.hash)
        #expect(found == [[versions[0]], [versions[1]], versions])
    }

    /// It was written by somebody who had docs/formats/sync.md and nothing else.
    @Test func `a decoder that follows the page alone finds the same`() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [try Self.golden("decode.py").path, try Self.golden("sync-1.json").path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(
            text.hasSuffix("\(file.blobs.count) blobs, \(file.changes.count) changes, 0 disagreements\n"),
            "\(text)"
        )
    }
}
