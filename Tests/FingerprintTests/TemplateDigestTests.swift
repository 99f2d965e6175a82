import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import FingerprintReader

/// Digests of what lies in a folder like fprintd's.
struct TemplateDigestTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// A folder that goes with the test.
    private final class Folder: Sendable {
        let path = FileManager.default.temporaryDirectory.path + "/templates-\(UUID().uuidString)"

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Writes a file below the folder.
        func write(_ contents: [UInt8], to name: String) throws {
            let file = URL(filePath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(contents).write(to: file)
        }

        func makeFolder(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
        }

        func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
        }

        var read: EnrolledTemplates { EnrolledTemplates.read(of: "alice", in: path) }

        var digest: TemplateDigest? { if case .digest(let digest) = read { digest } else { nil } }
    }

    /// A file's beginning, as libfprint writes it.
    private static func print(type: UInt8, isOnDevice: UInt8, more: String = "") -> [UInt8] {
        Array("FP3".utf8) + [type, 0, 0, 0] + Array("driver\0device\0".utf8) + [isOnDevice, 7] + Array(more.utf8)
    }

    private static let minutiae = print(type: 2, isOnDevice: 0)

    // MARK: - What the digest is

    @Test("the digest is what the description says")
    func vector() throws {
        try folder.write(
            Array("FP3\u{1}\0\0\0virtual_device\00\0\0\u{7}root".utf8),
            to: "alice/virtual_device/0/7"
        )
        try folder.write([], to: "alice/a")
        // A hyphen comes before a slash.
        for name in ["b/x", "b-c"] { try folder.write(Array(name.utf8), to: "alice/" + name) }
        // By Python's hashlib.
        let expected = "c589908c70a1c5d2a0631f1e85c4834c7747090dc08d0120a7b3fd9ae52fa5a7"
        #expect(try #require(folder.digest).bytes.map { String(format: "%02x", $0) }.joined() == expected)
    }

    @Test("bytes that go from one file, name or folder to another change it")
    func unambiguous() throws {
        var seen: Set<[UInt8]> = []
        let stores: [[String: String]] = [
            ["a": "bc"], ["ab": "c"], ["abc": ""], ["a": "b", "c": ""], ["a": "", "b": "c"], ["a": "", "bc": ""],
            ["a/b": "c"], ["a/b": "", "c": ""], ["a": "", "b/c": ""], ["a": "\0\0\0\0\0\0\0\u{1}b"], ["A": "bc"],
        ]
        for store in stores {
            try folder.makeFolder("alice")
            for (name, contents) in store { try folder.write(Array(contents.utf8), to: "alice/" + name) }
            seen.insert(try #require(folder.digest).bytes)
            try folder.remove("alice")
        }
        #expect(seen.count == stores.count)
    }

    @Test("the order of writing does not matter, nor does a copy, nor another user's finger")
    func stable() throws {
        for name in ["1", "2", "3"] { try folder.write(Array(name.utf8), to: "alice/driver/0/" + name) }
        let before = try #require(folder.digest)
        try folder.remove("alice")
        try folder.write(Self.minutiae, to: "bob/driver/0/1")
        for name in ["3", "1", "2"] { try folder.write(Array(name.utf8), to: "alice/driver/0/" + name) }
        try folder.makeFolder("alice/empty")
        #expect(folder.digest == before)
    }

    // MARK: - None and unknown

    @Test("no folder, or none with a file, is nobody enrolled")
    func none() throws {
        #expect(folder.read == .none)
        try folder.makeFolder("alice/virtual_device/0")
        #expect(folder.read == .none)
    }

    @Test("a store that is not there or cannot be read tells nothing")
    func unreadable() throws {
        #expect(EnrolledTemplates.read(of: "alice", in: folder.path + "/nowhere") == .unknown(.noFolder))
        try folder.write([], to: "file")
        #expect(EnrolledTemplates.read(of: "alice", in: folder.path + "/file") == .unknown(.unreadable(ENOTDIR)))
    }

    @Test(
        "who may not read it is told so, and not that nobody is enrolled",
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: ["", "alice", "alice/driver/0", "alice/driver/0/7"]
    )
    func forbidden(place: String) async throws {
        try folder.write(Self.minutiae, to: "alice/driver/0/7")
        #expect(chmod(folder.path + "/" + place, 0) == 0)
        let folder = folder
        // Of this thread alone.
        let found = await onThread {
            typealias Setter = @convention(c) (UInt32) -> Int32
            guard let symbol = dlsym(nil, "setfsuid") else { return EnrolledTemplates.none }
            _ = unsafeBitCast(symbol, to: Setter.self)(65_534)
            return folder.read
        }
        #expect(found == .unknown(.unreadable(EACCES)))
    }

    @Test("names that lead elsewhere are nobody's", arguments: ["", ".", "..", "a/b", "../alice", "/alice", "a\0b"])
    func names(_ name: String) throws {
        try folder.write(Self.minutiae, to: "alice/driver/0/7")
        #expect(EnrolledTemplates.read(of: name, in: folder.path) == .unknown(.unusableName))
        // Also from within, where they would lead somewhere.
        #expect(EnrolledTemplates.read(of: name, in: folder.path + "/alice") == .unknown(.unusableName))
    }

    @Test("links are followed nowhere", arguments: ["alice", "alice/driver", "alice/driver/0", "alice/driver/0/7"])
    func links(place: String) throws {
        try folder.write(Self.minutiae, to: "real/driver/0/7")
        let depth = place.split(separator: "/").count
        if depth > 1 { try folder.makeFolder(String(place[..<(place.lastIndex(of: "/") ?? place.endIndex)])) }
        let target = ["real", "real/driver", "real/driver/0", "real/driver/0/7"][depth - 1]
        try folder.link(place, to: folder.path + "/" + target)
        #expect(folder.read == .unknown(.unexpectedFile))
    }

    @Test("a pipe is not waited for, and a user who is a file is none")
    func otherFiles() throws {
        try folder.makeFolder("alice/driver/0")
        #expect(mkfifo(folder.path + "/alice/driver/0/7", 0o600) == 0)
        #expect(folder.read == .unknown(.unexpectedFile))
        try folder.remove("alice")
        try folder.write(Self.minutiae, to: "alice")
        #expect(folder.read == .unknown(.unexpectedFile))
    }

    @Test("more, larger or deeper than fprintd's files is too much")
    func limits() throws {
        try folder.write(Self.minutiae, to: "alice/a/b/c/d/7")
        #expect(folder.read == .unknown(.tooMuch))
        try folder.remove("alice")
        try folder.write([UInt8](repeating: 0, count: 1 << 20), to: "alice/a/b/1")
        #expect(folder.digest != nil)
        try folder.write([UInt8](repeating: 0, count: (1 << 20) + 1), to: "alice/a/b/1")
        #expect(folder.read == .unknown(.tooMuch))
        for number in 1...5 { try folder.write([UInt8](repeating: 0, count: 1 << 20), to: "alice/a/b/\(number)") }
        #expect(folder.read == .unknown(.tooMuch))
        try folder.remove("alice")
        for number in 1...256 { try folder.write([], to: "alice/\(number)") }
        #expect(folder.digest != nil)
        try folder.write([], to: "alice/x")
        #expect(folder.read == .unknown(.tooMuch))
        try folder.remove("alice")
        for number in 1...129 { try folder.makeFolder("alice/\(number)/b") }
        #expect(folder.read == .unknown(.tooMuch))
    }

    // MARK: - While files change

    @Test("files that change once are read as they are then, and not as a mixture")
    func changedOnce() throws {
        try folder.write(Self.print(type: 2, isOnDevice: 0, more: "old"), to: "alice/d/0/7")
        var isFirst = true
        let found = EnrolledTemplates.read(of: "alice", in: folder.path) {
            guard isFirst else { return }
            isFirst = false
            try? folder.write(Self.print(type: 2, isOnDevice: 0, more: "new"), to: "alice/d/0/7")
        }
        #expect(try found == .digest(#require(folder.digest)))
    }

    @Test("files that change all the time tell nothing, also where they change back")
    func changing() throws {
        let one = Self.print(type: 2, isOnDevice: 0, more: "one")
        try folder.write(one, to: "alice/d/0/7")
        var count = 0
        let counting = EnrolledTemplates.read(of: "alice", in: folder.path) {
            count += 1
            try? folder.write(Self.print(type: 2, isOnDevice: 0, more: "\(count)"), to: "alice/d/0/7")
        }
        #expect(counting == .unknown(.changing))
        // Enrolled and deleted again in between.
        let same = EnrolledTemplates.read(of: "alice", in: folder.path) {
            count += 1
            try? folder.remove("alice/d/0/7")
            try? folder.write(one, to: "alice/d/0/7")
            // The clock of files does not go on with each of them.
            try? FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(count))],
                ofItemAtPath: folder.path + "/alice/d/0/7"
            )
        }
        #expect(same == .unknown(.changing))
        // Written over in its place, with the same.
        let over = EnrolledTemplates.read(of: "alice", in: folder.path) {
            count += 1
            try? FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(count))],
                ofItemAtPath: folder.path + "/alice/d/0/7"
            )
        }
        #expect(over == .unknown(.changing))
    }

    @Test("a last finger that goes meanwhile is gone, and a first that comes is there")
    func comingAndGoing() throws {
        var isFirst = true
        let come = EnrolledTemplates.read(of: "alice", in: folder.path) {
            try? isFirst ? folder.write(Self.minutiae, to: "alice/d/0/7") : ()
            isFirst = false
        }
        #expect(try come == .digest(#require(folder.digest)))
        isFirst = true
        let gone = EnrolledTemplates.read(of: "alice", in: folder.path) {
            try? isFirst ? folder.remove("alice") : ()
            isFirst = false
        }
        #expect(gone == .none)
    }

    // MARK: - Kinds

    @Test(
        "what a file holds is told by its beginning",
        arguments: [
            (print(type: 2, isOnDevice: 0), StoredPrint.minutiae), (print(type: 1, isOnDevice: 0), .driversOwn),
            (print(type: 1, isOnDevice: 1), .onChip), (print(type: 2, isOnDevice: 1), .onChip),
            (print(type: 0, isOnDevice: 0), .unrecognized), (print(type: 3, isOnDevice: 0), .unrecognized),
            (print(type: 2, isOnDevice: 2), .unrecognized), ([], .unrecognized), (Array("FP3".utf8), .unrecognized),
            (Array("FP2".utf8) + minutiae.dropFirst(3), .unrecognized), (Array(minutiae.prefix(6)), .unrecognized),
            (Array(minutiae.prefix(20)), .unrecognized), (Array(minutiae.dropLast(2)), .unrecognized),
            // Byte order of another machine.
            (Array("FP3".utf8) + [0, 0, 0, 2] + Array("driver\0device\0".utf8) + [0, 7], .unrecognized),
        ] as [([UInt8], StoredPrint)]
    )
    func kinds(file: [UInt8], kind: StoredPrint) throws {
        #expect(StoredPrint(file: file) == kind)
        try folder.write(file, to: "alice/d/0/7")
        try folder.write(Self.minutiae, to: "alice/d/0/8")
        let digest = try #require(folder.digest)
        #expect(digest.prints == [kind, .minutiae])
        #expect(digest.coversPrints == [.minutiae, .driversOwn].contains(kind))
    }
}

/// What the real fprintd writes.
@Suite(
    .serialized,
    .enabled(if: FingerprintSite.obstacle == nil, "\(FingerprintSite.obstacle ?? "")"),
    .timeLimit(.minutes(3))
)
struct EnrolledTemplatesTests {
    private let site: FingerprintSite

    init() throws {
        site = try FingerprintSite()
    }

    private func digest() throws -> TemplateDigest {
        guard case .digest(let digest) = EnrolledTemplates.read(of: "alice", in: site.templates) else {
            throw FingerprintSite.Failure(description: "no digest")
        }
        return digest
    }

    @Test("a finger that is enrolled again has its name, and another digest; so has one that comes or goes")
    func enrolledAgain() async throws {
        try await site.startFprintd(.image)
        #expect(EnrolledTemplates.read(of: "alice", in: site.templates) == .none)
        try await site.enrol("right-thumb", asPicture: 1)
        let first = try digest()
        #expect(first.prints == [.minutiae])
        #expect(first.coversPrints)
        let names = try await site.enrolledNames()
        try await site.delete("right-thumb")
        #expect(EnrolledTemplates.read(of: "alice", in: site.templates) == .none)
        try await site.enrol("right-thumb", asPicture: 2)
        #expect(try await site.enrolledNames() == names)
        let again = try digest()
        #expect(again != first)
        try await site.enrol("left-thumb", asPicture: 3)
        #expect(try await site.enrolledNames() != names)
        let both = try digest()
        #expect(both != again)
        try await site.delete("left-thumb")
        #expect(try digest() == again)
    }

    @Test("verifying changes nothing")
    func verifying() async throws {
        try await site.startFprintd()
        try await site.enrol(as: "alices-finger")
        let before = try digest()
        #expect(before.prints == [.driversOwn])
        let site = site
        #expect(await site.verify { if $0 == .waiting { site.send("SCAN alices-finger") } } == .matched)
        #expect(try digest() == before)
    }

    @Test("a reader that keeps prints itself is known by them")
    func onChip() async throws {
        try await site.startFprintd(.storing)
        try await site.enrol(as: "alices-finger")
        let digest = try digest()
        #expect(digest.prints == [.onChip])
        #expect(!digest.coversPrints)
        // It verifies none the less.
        let site = site
        #expect(await site.verify { if $0 == .waiting { site.send("SCAN alices-finger") } } == .matched)
    }
}
