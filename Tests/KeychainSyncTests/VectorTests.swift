import Foundation
import KeychainSync
import SyncSimulation
import Testing

/// What another implementation could run: blobs of version 1, what is in them, and what is to be refused.
@Suite("Formats of synchronization")
struct VectorTests {
    struct File: Decodable {
        let blobs: [Blob]
        let changes: [Change]
    }

    struct Blob: Decodable {
        let kind: String
        let name: String
        let bytes: String
        let fields: [String: String]
    }

    struct Change: Decodable {
        let blob: Int
        let length: Int?
        let appended: String?
        let offset: Int?
        let bytes: String?
        let zeros: Int?
        let result: String

        func applied(to bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            if let length { bytes = Array(bytes.prefix(length)) }
            if let offset, let new = self.bytes.map(VectorTests.bytes) {
                bytes.replaceSubrange(offset..<(offset + new.count), with: new)
            }
            if let appended { bytes += VectorTests.bytes(appended) }
            if let zeros { bytes += [UInt8](repeating: 0, count: zeros) }
            return bytes
        }
    }

    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    static func golden(_ name: String) throws -> URL {
        try #require(Bundle.module.resourceURL).appending(path: "Golden/\(name)")
    }

    private let file: File

    init() throws {
        file = try JSONDecoder().decode(File.self, from: Data(contentsOf: Self.golden("sync-1.json")))
    }

    @Test func `a blob that was written once is read for ever, and has one encoding`() throws {
        #expect(file.blobs.count == 20)
        for blob in file.blobs {
            let bytes = Self.bytes(blob.bytes)
            let decoded = try DecodedBlob(kind: blob.kind, bytes)
            #expect(decoded.encoded == bytes, "\(blob.kind) \(blob.name)")
            #expect(decoded.fields == blob.fields, "\(blob.kind) \(blob.name)")
        }
    }

    @Test func `a changed blob is another one, or is refused for the documented reason`() throws {
        #expect(file.changes.count > 4_000)
        for change in file.changes {
            let blob = file.blobs[change.blob]
            let bytes = change.applied(to: Self.bytes(blob.bytes))
            do {
                let decoded = try DecodedBlob(kind: blob.kind, bytes)
                #expect(change.result == "valid", "\(blob.kind) \(blob.name) \(change)")
                #expect(decoded.encoded == bytes, "\(blob.kind) \(blob.name) \(change)")
            } catch let refusal as SyncRefusal {
                #expect(refusal.name == change.result, "\(blob.kind) \(blob.name) \(change)")
            }
        }
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
