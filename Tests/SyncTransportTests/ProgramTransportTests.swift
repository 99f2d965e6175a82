import Foundation
import KeychainSync
import KeychainTestSupport
import SyncTransport
import Testing

/// A transport whose program is a script of the test's: it keeps blobs in memory, or does what no program should.
@Suite("A transport that a program speaks to")
struct ProgramTransportTests: TransportSuite {
    let folder: TransportFolder

    init() throws { folder = try TransportFolder() }

    /// A program in Python.
    private static let script = """
        #!/usr/bin/python3
        import os, sys, time
        mode = sys.argv[2].rpartition("/")[2]
        source, sink = sys.stdin.buffer, sys.stdout.buffer
        def say(text, data=b""):
            sink.write(text.encode() + data)
            sink.flush()
        with open(os.environ["TRANSPORT_LOG"], "a") as log: log.write("%d\\n" % os.getpid())
        if mode == "mute": time.sleep(600)
        if mode == "refusing": say("failure other it is not\\x1b[2J to be\\n"); sys.exit(0)
        if mode == "newer": say("chatelaine-transport 2\\n"); time.sleep(600)
        if mode == "dead": sys.exit(3)
        say("chatelaine-transport 1\\n")
        blobs = {}
        for line in source:
            words = line.decode().split()
            if mode == "garbage": say("\\x00\\xff what?\\n"); continue
            if mode == "endless": say("n" * 5000); continue
            if mode == "huge": say("blob 99999999999\\n"); continue
            if mode == "negative": say("blob -1\\n"); continue
            if mode == "lines": say("names 2\\n" + "n" * 2000 + "\\nx\\n"); continue
            if mode == "many": say("names 80001\\n"); continue
            if mode == "busy":
                while True: say("changed\\n" * 1000)
            if mode == "drip":
                say("names 80000\\n")
                while True: say("a\\n"); time.sleep(0.05)
            if mode == "half": say("blob 10\\n", b"12345"); sys.exit(0)
            if mode == "wrong": say("names 1\\nx\\n" if words[0] != "list" else "done\\n"); continue
            if mode == "foreign": say("names 5\\n../../etc/passwd\\nhead/AB\\nseg/x\\n\\nentry/" + "0" * 64 + "\\n"); continue
            if mode == "full" and words[0] == "write": source.read(int(words[3])); say("failure full no room\\n"); continue
            if mode == "gone": say("failure unreachable no node\\n"); continue
            if mode == "once" and words[0] == "read": sys.exit(0)
            if words[0] == "circles": names = {key[0] for key in blobs}; say("names %d\\n" % len(names) + "".join(n + "\\n" for n in names))
            elif words[0] == "list":
                names = [key[1] for key in blobs if key[0] == words[2] and key[1].startswith(words[1] + "/")]
                say("names %d\\n" % len(names) + "".join(n + "\\n" for n in names))
            elif words[0] == "read":
                blob = blobs.get((words[2], words[1]))
                if blob is None or len(blob) > int(words[3]): say("absent\\n")
                else: say("blob %d\\n" % len(blob), blob)
            elif words[0] == "write":
                blobs[words[2], words[1]] = source.read(int(words[3]))
                # Told of before the answer and after it.
                say("changed\\ndone\\nchanged\\n")
            elif words[0] == "write-all":
                with open("LOG-all", "a") as log: log.write(line.decode())
                if mode == "small": source.read(sum(map(int, words[3::2]))); say("failure other too much\\n"); continue
                for name, count in zip(words[2::2], words[3::2]): blobs[words[1], name] = source.read(int(count))
                say("done\\n")
            elif words[0] == "remove": blobs.pop((words[2], words[1]), None); say("done\\n")
            elif words[0] == "watch": say("done\\n")
        """

    private var log: String { folder.path + "/log" }

    private func transport(_ mode: String, patience: Duration = .seconds(30)) throws -> ProgramTransport {
        let path = folder.path + "/program"
        let script = Self.script.replacing("os.environ[\"TRANSPORT_LOG\"]", with: "\"\(log)\"")
            .replacing("LOG-all", with: log + "-all")
        if !FileManager.default.fileExists(atPath: path) { try writeProgram(script, to: path) }
        return ProgramTransport(
            try #require(TransportPlace("etcd://127.0.0.1/\(mode)")),
            path: path,
            patience: patience
        )
    }

    /// The lines that asked for several blobs.
    private var together: [String] {
        ((try? String(contentsOfFile: log + "-all", encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// The processes that were started.
    private var started: [pid_t] {
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").compactMap { pid_t($0) }
    }

    private var starts: Int { started.count }

    /// Whether one of them is there.
    private var isRunning: Bool { started.contains { kill($0, 0) == 0 } }

    private var names: [BlobName] {
        [
            .entry(SyncHash(of: [2])), .head(journal),
            BlobName(JournalPoint(journal: journal, number: 12, hash: SyncHash(of: [3]))),
            .join(journal, step: 4),
        ]
    }

    @Test func `several blobs are one request, unless they are too many or too much for one`() throws {
        let transport = try transport("good")
        let head = SyncBlob([1, 2], as: .head(journal))
        func segment(_ number: UInt64, _ count: Int) -> SyncBlob {
            let point = JournalPoint(journal: journal, number: number, hash: SyncHash(of: [3]))
            return SyncBlob([UInt8](repeating: UInt8(number), count: count), as: BlobName(point))
        }
        let few = [segment(1, 3), segment(2, 0), head]
        let many = (3..<13).map { segment($0, 1) }
        let much = (13..<16).map { segment($0, 100_000) }
        for blobs in [few, many, much] {
            try transport.write(blobs, in: circle)
            for blob in blobs { #expect(try transport.read(blob.name, in: circle) == blob.bytes) }
        }
        let words = few.map { "\($0.name.text) \($0.bytes.count)" }.joined(separator: " ")
        #expect(together == ["write-all \(circle.text) \(words)"])
        #expect(starts == 1)
    }

    @Test func `what a program does not take together it is given one by one`() throws {
        let transport = try transport("small")
        let blobs = names.enumerated().map { SyncBlob([UInt8](repeating: 7, count: $0.offset), as: $0.element) }
        try transport.write(blobs, in: circle)
        #expect(together.count == 1)
        for blob in blobs { #expect(try transport.read(blob.name, in: circle) == blob.bytes) }
        #expect(starts == 1)
    }

    @Test func `what is written can be listed and read, and is gone once it is removed`() throws {
        let transport = try transport("good")
        #expect(try transport.circles() == [])
        for (number, name) in names.enumerated() {
            // Longer than what a socket takes at once.
            let bytes = [UInt8](repeating: UInt8(number), count: number == 2 ? name.largest : number)
            try transport.write(bytes, as: name, in: circle)
            #expect(try transport.read(name, in: circle) == bytes)
            #expect(try transport.list(name.kind, in: circle) == [name])
        }
        #expect(try transport.circles() == [circle])
        for name in names {
            try transport.remove(name, in: circle)
            #expect(try transport.read(name, in: circle) == nil)
        }
        #expect(starts == 1)
    }

    @Test func `changes are told of, also those that come between two answers`() throws {
        let transport = try transport("good")
        let changes = try transport.changes(in: circle)
        #expect(try !changes.wait(until: .now + .milliseconds(20)))
        try transport.write([1], as: .head(journal), in: circle)
        #expect(try changes.wait(until: .now + .seconds(20)))
        while try changes.wait(until: .now + .milliseconds(50)) {}
        let wakeUp = changes.wakeUp
        Thread.detachNewThread { wakeUp.signal() }
        #expect(try changes.wait(until: .now + .seconds(20)))
    }

    @Test(arguments: ["garbage", "endless", "huge", "negative", "newer", "lines", "many"])
    func `a program that does not answer as it should is ended, and started anew for the next question`(
        mode: String
    ) throws {
        let transport = try transport(mode)
        for count in 1...2 {
            #expect { _ = try transport.read(.head(journal), in: circle) } throws: { error in
                (error as? SyncTransportFailure)?.kind == .other
            }
            #expect(starts == count)
        }
    }

    @Test(arguments: ["dead", "half"])
    func `a program that has ended is told of as what cannot be reached`(mode: String) throws {
        let transport = try transport(mode)
        #expect { _ = try transport.read(.segment(journal, number: 1, prefix: 1), in: circle) } throws: { error in
            (error as? SyncTransportFailure)?.kind == .unreachable
        }
        // Whoever waits for changes asks again before long.
        let changes = try? transport.changes(in: circle)
        if let changes { #expect(try changes.wait(until: .now + .seconds(20))) }
    }

    @Test func `a program that says nothing is ended when its time is over`() throws {
        let transport = try transport("mute", patience: .milliseconds(500))
        #expect { _ = try transport.read(.head(journal), in: circle) } throws: { error in
            (error as? SyncTransportFailure)?.kind == .unreachable
        }
        #expect(starts == 1)
        #expect(!isRunning)
    }

    @Test(arguments: ["busy", "drip"]) func `a program that never stops talking is ended when its time is over`(
        mode: String
    ) throws {
        let transport = try transport(mode, patience: .milliseconds(500))
        let begun = ContinuousClock.now
        #expect { _ = try transport.list(.head, in: circle) } throws: { error in
            (error as? SyncTransportFailure)?.kind == .unreachable
        }
        #expect(ContinuousClock.now - begun < .seconds(20))
        #expect(!isRunning)
    }

    @Test func `a program that ends again and again is started less and less often, and at once for a hint`() throws {
        let transport = try transport("dead")
        let changes = try transport.changes(in: circle)
        func pause() throws -> Duration {
            let begun = ContinuousClock.now
            // As somebody waits who has other things to look at as well.
            while try !changes.wait(until: .now + .milliseconds(300)) {}
            _ = try? transport.circles()
            return ContinuousClock.now - begun
        }
        let first = try pause()
        #expect(try pause() > first * 1.5)
        let wakeUp = changes.wakeUp
        Thread.detachNewThread { wakeUp.signal() }
        #expect(try pause() < .seconds(5))
    }

    @Test func `an answer to another question is none`() throws {
        let transport = try transport("wrong")
        for question in [
            { _ = try transport.read(.head(journal), in: circle) }, { _ = try transport.list(.head, in: circle) },
            { try transport.write([1], as: .head(journal), in: circle) },
            { try transport.remove(.head(journal), in: circle) },
        ] as [() throws -> Void] {
            #expect { try question() } throws: { ($0 as? SyncTransportFailure)?.kind == .other }
        }
    }

    @Test func `names that are none count as absent`() throws {
        let transport = try transport("foreign")
        for kind in [BlobName.Kind.head, .segment, .join] { #expect(try transport.list(kind, in: circle) == []) }
        #expect(try transport.list(.entry, in: circle).map(\.text) == ["entry/" + String(repeating: "0", count: 64)])
        #expect(try transport.circles() == [])
    }

    @Test func `what a program says of a failure is passed on with its kind`() throws {
        func failure(_ mode: String) throws -> SyncTransportFailure? {
            let transport = try transport(mode)
            do throws(SyncTransportFailure) {
                try transport.write([1], as: .head(journal), in: circle)
                return nil
            } catch {
                return error
            }
        }
        #expect(try failure("full") == SyncTransportFailure(.full, "no room"))
        #expect(try failure("gone") == SyncTransportFailure(.unreachable, "no node"))
        // What a terminal would obey is not passed on.
        #expect(try failure("refusing") == SyncTransportFailure(.other, "it is not?[2J to be"))
        #expect(try failure("good") == nil)
    }

    @Test func `a program that has ended between two questions is started again`() throws {
        let transport = try transport("once")
        try transport.write([1], as: .head(journal), in: circle)
        #expect(throws: SyncTransportFailure.self) { try transport.read(.head(journal), in: circle) }
        try transport.write([1], as: .head(journal), in: circle)
        #expect(starts == 2)
    }

    @Test func `the program ends with the transport`() throws {
        var transport: ProgramTransport? = try transport("good")
        _ = try transport?.circles()
        #expect(isRunning)
        transport = nil
        #expect(!isRunning)
    }

    @Test func `a program that is not there is said so`() throws {
        let transport = ProgramTransport(
            try #require(TransportPlace("etcd://127.0.0.1/x")),
            path: folder.path + "/none"
        )
        #expect { _ = try transport.circles() } throws: { ($0 as? SyncTransportFailure)?.kind == .other }
    }
}

@Suite("Where a transport is")
struct TransportPlaceTests {
    @Test func `is a folder or a cluster`() {
        #expect(TransportPlace("/srv/a b") == .folder("/srv/a b"))
        #expect(TransportPlace("etcd://a/b") == .cluster("etcd://a/b"))
    }

    @Test(arguments: [
        "", "a", "./a", "etcd:/a", "ETCD://a/b", "http://a/b", "etcd://a b", "etcd://ä", "etcd://a\n", "/a\u{0}b",
        "etcd://" + String(repeating: "a", count: 4_096), "/" + String(repeating: "a", count: 4_096),
    ])
    func `is nothing else`(_ text: String) { #expect(TransportPlace(text) == nil) }
}
