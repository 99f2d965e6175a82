import Dispatch
import Foundation
import Glibc
import KeychainSync
import KeychainTestSupport
import SyncTransport
import Testing

@Suite("A transport that is a folder")
struct FolderTransportTests: TransportSuite {
    let folder: TransportFolder

    init() throws { folder = try TransportFolder() }

    private var names: [BlobName] {
        [
            .entry(SyncHash(of: [2])), .head(journal),
            BlobName(JournalPoint(journal: journal, number: 12, hash: SyncHash(of: [3]))),
            .join(journal, step: 4),
        ]
    }

    @Test func `what is written can be listed and read, and is gone once it is removed`() throws {
        for (number, name) in names.enumerated() {
            try transport.write([UInt8(number)], as: name, in: circle)
            #expect(try transport.read(name, in: circle) == [UInt8(number)])
            #expect(try transport.list(name.kind, in: circle) == [name])
        }
        #expect(try transport.circles() == [circle])
        for name in names {
            try transport.remove(name, in: circle)
            try transport.remove(name, in: circle)
            #expect(try transport.read(name, in: circle) == nil)
            #expect(try transport.list(name.kind, in: circle) == [])
        }
    }

    @Test func `nothing is there where nothing was written`() throws {
        #expect(try transport.circles() == [])
        for name in names {
            #expect(try transport.list(name.kind, in: circle) == [])
            #expect(try transport.read(name, in: circle) == nil)
            try transport.remove(name, in: circle)
        }
        #expect(try folder.names() == [])
    }

    @Test func `other names are left alone: copies of conflicts, temporary files, other spellings`() throws {
        try transport.write([1], as: .head(journal), in: circle)
        let text = journal.text
        for name in [
            "\(text).sync-conflict-20261129-101500-ABCDEFG", ".syncthing.\(text).tmp", "~syncthing~\(text).tmp",
            "\(text).new", "\(text)~", text.uppercased(), "\(text)0", String(text.dropLast()), ".stfolder", "ä", "",
        ] where !name.isEmpty {
            try folder.write("foreign", to: "\(place)/head/\(name)")
        }
        try folder.write("foreign", to: "chatelaine/1/notes.txt")
        #expect(try transport.list(.head, in: circle) == [.head(journal)])
        #expect(try transport.circles() == [circle])
    }

    @Test func `what is longer than such a blob can be counts as absent`() throws {
        let name = BlobName.head(journal)
        try transport.write([UInt8](repeating: 1, count: name.largest), as: name, in: circle)
        #expect(try transport.read(name, in: circle)?.count == name.largest)
        try transport.write([UInt8](repeating: 1, count: name.largest + 1), as: name, in: circle)
        #expect(try transport.read(name, in: circle) == nil)
    }

    @Test func `a reader never sees a part of a blob that is replaced`() throws {
        let name = BlobName.head(journal)
        let sizes = [10, 20_000]
        try transport.write([UInt8](repeating: 0, count: 10), as: name, in: circle)
        // Not a task: one that waits takes a thread away from those of other tests, and may itself never get one.
        let writing = DispatchGroup()
        DispatchQueue(label: "writer").async(group: writing) { [transport, circle] in
            for round in 0..<200 {
                let bytes = [UInt8](repeating: UInt8(round), count: sizes[round % 2])
                try? transport.write(bytes, as: name, in: circle)
            }
        }
        defer { writing.wait() }
        var last: UInt8 = 0
        try waitUntil("the last blob is read") {
            let bytes = try #require(try transport.read(name, in: circle))
            #expect(sizes.contains(bytes.count) && Set(bytes).count == 1)
            last = bytes[0]
            return last == 199
        }
    }

    @Test func `what a writer that was killed has left behind is not read, and goes with the next write`() throws {
        let name = BlobName.head(journal)
        try transport.write([1], as: name, in: circle)
        try folder.write("half", to: "\(place)/head/\(journal.text).new")
        #expect(try transport.read(name, in: circle) == [1])
        try transport.write([2], as: name, in: circle)
        #expect(try folder.names(in: "\(place)/head") == [journal.text])
    }

    @Test func `a blob that is written once more is not touched`() throws {
        let name = BlobName.head(journal)
        try transport.write([1, 2], as: name, in: circle)
        let before = try folder.inode(of: "\(place)/head/\(journal.text)")
        try transport.write([1, 2], as: name, in: circle)
        #expect(try folder.inode(of: "\(place)/head/\(journal.text)") == before)
        try transport.write([1], as: name, in: circle)
        #expect(try transport.read(name, in: circle) == [1])
    }

    // MARK: - Attacks

    @Test(arguments: ["chatelaine", "chatelaine/1", "circle", "kind"])
    func `a link in place of a folder leads nowhere`(level: String) throws {
        let name = BlobName.head(journal)
        let other = try TransportFolder()
        try FolderTransport(path: other.path).write([7], as: name, in: circle)
        let place = level == "circle" ? place : level == "kind" ? "\(place)/head" : level
        try folder.link(place, to: "\(other.path)/\(place)")
        #expect(try transport.read(name, in: circle) == nil)
        #expect(try transport.list(.head, in: circle) == [])
        #expect(throws: SyncTransportFailure.self) { try transport.write([8], as: name, in: circle) }
        try transport.remove(name, in: circle)
        #expect(try FolderTransport(path: other.path).read(name, in: circle) == [7])
    }

    @Test func `a link, a folder or a pipe in place of a blob is none, and keeps nobody waiting`() throws {
        let name = BlobName.head(journal)
        let path = "\(place)/head/\(journal.text)"
        try folder.write("secret", to: "elsewhere")
        try folder.link(path, to: "\(folder.path)/elsewhere")
        #expect(try transport.read(name, in: circle) == nil)
        // Written over, and not through.
        try transport.write([1], as: name, in: circle)
        #expect(try transport.read(name, in: circle) == [1])
        #expect(try folder.text(of: "elsewhere") == "secret")
        try transport.remove(name, in: circle)
        #expect(mkfifo("\(folder.path)/\(path)", 0o600) == 0)
        #expect(try transport.read(name, in: circle) == nil)
        try transport.remove(name, in: circle)
        try folder.make(path)
        #expect(try transport.read(name, in: circle) == nil)
        #expect(throws: SyncTransportFailure.self) { try transport.write([1], as: name, in: circle) }
    }

    // MARK: - Failures

    @Test func `a folder that is not there is unreachable, and is not made`() throws {
        let path = "\(folder.path)/stick"
        let transport = FolderTransport(path: path)
        for operation in [
            { _ = try transport.circles() }, { _ = try transport.list(.entry, in: circle) },
            { try transport.write([1], as: .head(journal), in: circle) },
        ] as [() throws -> Void] {
            let failure = #expect(throws: SyncTransportFailure.self) { try operation() }
            #expect(failure?.kind == .unreachable)
        }
        #expect(try folder.names() == [])
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs root, and mounts"))
    func `a full disk is told apart, and leaves what was there (as root, with mounts)`() throws {
        let disk = try SmallDisk(kibibytes: 256)
        let transport = FolderTransport(path: disk.path)
        let name = BlobName.segment(journal, number: 1, prefix: 0)
        try transport.write([1], as: name, in: circle)
        let failure = #expect(throws: SyncTransportFailure.self) {
            try transport.write([UInt8](repeating: 2, count: 1 << 20), as: name, in: circle)
        }
        #expect(failure?.kind == .full)
        #expect(try transport.read(name, in: circle) == [1])
        try transport.write([3], as: name, in: circle)
        #expect(try transport.read(name, in: circle) == [3])
    }
}
