import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Files that were cut off, blotted out or changed anywhere at all. Whatever happens to them: a documented error or an
/// answer, never a value that was not stored under that name, and no file that is refused is written.
@Suite("Files damaged at any place")
struct HostileStorageTests {
    /// A keychain with some history, and its files.
    private let keychain: TestKeychain
    private let files: [String: [UInt8]]
    /// The items as they are.
    private let items: Set<String>
    /// All values that an account ever had: an older journal shows an older state.
    private let history: Set<String>

    init() throws {
        keychain = try TestKeychain(in: TestKeychain.folderInMemory)
        let connection = keychain.connection()
        for index in 0..<12 {
            try connection.add("account-\(index)", value: "value-\(index)") { request in
                request.attributes["labl"] = .string("label \(index)")
            }
        }
        try connection.update("account-3", value: "changed-3")
        try connection.delete("account-4")
        // A page of its own, and those that follow it.
        try connection.add("large", value: String(repeating: "l", count: 9000))
        try connection.delete("account-5")
        let checkpointed = try Set(connection.all())
        // These are in the journal alone.
        for index in 0..<3 { try connection.add("journal-\(index)", value: "late-\(index)") }
        items = try Set(connection.all())
        history = items.union(checkpointed).union(
            (0..<12).map { "account-\($0)=value-\($0)" }
        )
        var files: [String: [UInt8]] = [:]
        for (name, bytes) in try keychain.contents() { files[name] = Array(bytes) }
        self.files = files
        try #require(!(files["keychain.db-wal"] ?? []).isEmpty)
    }

    private func path(_ file: String) -> String { keychain.path + "/" + file }

    /// Puts the files back as they were, but for one.
    private func put(_ bytes: [UInt8], in file: String) throws {
        for (name, original) in files { try keychain.write(name == file ? bytes : original, to: path(name)) }
        unlink(path("keychain.db-shm"))
        for name in try FileManager.default.contentsOfDirectory(atPath: keychain.path)
        where files[name] == nil && name != "keychain.db-shm" {
            unlink(path(name))
        }
    }

    private enum Outcome: Hashable {
        case refused, failed, whole, partial
    }

    /// Opens the keychain with one file changed, and asks it all there is to ask.
    private func outcome(_ bytes: [UInt8], in file: String, _ label: @autoclosure () -> String) throws -> Outcome {
        try put(bytes, in: file)
        let connection = keychain.connection(patience: .seconds(5))
        do throws(KeychainError) {
            // The first call opens; if opening is refused, nothing may have been written.
            _ = try connection.value(of: "account-0")
        } catch {
            #expect([.notAvailable, .inputOutput].contains(error.code), "\(label()): \(error)")
            let isOpen =
                failure { () throws(KeychainError) in try connection.find(FindRequest(query: .init(itemClass: .key))) }
                == nil
            if !isOpen {
                for (name, original) in files {
                    #expect(try keychain.read(path(name)) == (name == file ? bytes : original), "\(label()): \(name)")
                }
                return .refused
            }
        }
        do throws(KeychainError) {
            let found = try Set(connection.all())
            #expect(found.isSubset(of: history), "\(label()): a value that was never stored")
            return found == items ? .whole : .partial
        } catch {
            #expect([.notAvailable, .inputOutput].contains(error.code), "\(label()): \(error)")
            return .failed
        }
    }

    private func summary(_ what: String, _ outcomes: [Outcome: Int]) {
        let text = outcomes.sorted { "\($0.key)" < "\($1.key)" }.map { "\($0.value) \($0.key)" }
        print("\(what): \(outcomes.values.reduce(0, +)) places, \(text.joined(separator: ", "))")
    }

    // MARK: - Cut off

    private func lengths(of file: String, random: Int, _ generator: inout Seeded) -> [Int] {
        let size = files[file]?.count ?? 0
        var lengths = Set(0..<min(size, 120))
        for border in stride(from: 0, through: size, by: 4096) { lengths.formUnion(border - 1...border + 1) }
        // A journal's pages have 24 bytes before them, and the journal has 32.
        for frame in stride(from: 32, through: size, by: 4096 + 24) {
            lengths.formUnion([frame - 1, frame, frame + 1, frame + 23, frame + 24])
        }
        for _ in 0..<random { lengths.insert(.random(in: 0..<max(size, 1), using: &generator)) }
        return lengths.filter { (0..<size).contains($0) }.sorted()
    }

    @Test(arguments: ["keychain.db", "keychain.db-wal"])
    func `a database or journal cut off at any length`(file: String) throws {
        var generator = Seeded()
        let original = files[file] ?? []
        var outcomes: [Outcome: Int] = [:]
        let lengths = lengths(of: file, random: 150, &generator)
        for length in stride(from: 0, to: lengths.count, by: Campaign.step(sample: 5)).map({ lengths[$0] }) {
            outcomes[try outcome(Array(original.prefix(length)), in: file, "\(file) of \(length) bytes"), default: 0] +=
                1
        }
        if file == "keychain.db" { #expect(outcomes[.whole] == nil || outcomes[.refused, default: 0] > 0) }
        summary("\(file) cut off", outcomes)
    }

    @Test(arguments: ["keybag", "device.key"])
    func `a keybag or device key cut off at any length, or longer, is refused`(file: String) throws {
        let original = files[file] ?? []
        for length in 0..<original.count {
            #expect(try outcome(Array(original.prefix(length)), in: file, "\(file) of \(length) bytes") == .refused)
        }
        for more in [1, 31, 32, 62, 4096] {
            #expect(
                try outcome(original + [UInt8](repeating: 0, count: more), in: file, "\(file) and more") == .refused
            )
        }
    }

    // MARK: - Changed

    @Test(arguments: ["keybag", "device.key"])
    func `a keybag or device key with any bit flipped is refused`(file: String) throws {
        let original = files[file] ?? []
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 1 << UInt8(index % 8)
            #expect(try outcome(bytes, in: file, "\(file), bit \(index % 8) of byte \(index)") == .refused)
        }
    }

    @Test(arguments: ["keychain.db", "keychain.db-wal"], ["bit", "byte", "zeroes", "noise"])
    func `a database or journal changed anywhere gives errors or what was stored`(file: String, damage: String) throws {
        var generator = Seeded()
        let original = files[file] ?? []
        var outcomes: [Outcome: Int] = [:]
        for round in 0..<Campaign.rounds(400, sample: 80) {
            // The first bytes of each page say what the rest is; they get their share.
            let isStructure = round % 2 == 0
            let page = Int.random(in: 0..<max(original.count / 4096, 1), using: &generator) * 4096
            let index =
                isStructure
                ? min(page + Int.random(in: 0..<120, using: &generator), original.count - 1)
                : Int.random(in: original.indices, using: &generator)
            var bytes = original
            switch damage {
            case "bit": bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case "byte": bytes[index] = .random(in: 0...255, using: &generator)
            default:
                let end = min(index + .random(in: 1...600, using: &generator), bytes.count)
                for place in index..<end {
                    bytes[place] = damage == "zeroes" ? 0 : .random(in: 0...255, using: &generator)
                }
            }
            outcomes[try outcome(bytes, in: file, "\(damage) at \(index) of \(file)"), default: 0] += 1
        }
        summary("\(damage) in \(file)", outcomes)
    }

    @Test func `a file of zeroes or of nothing is refused, except for a journal`() throws {
        for file in ["keychain.db", "keybag", "device.key"] {
            let zeroes = [UInt8](repeating: 0, count: files[file]?.count ?? 0)
            #expect(try outcome(zeroes, in: file, "zeroes in \(file)") == .refused)
            #expect(try outcome([], in: file, "nothing in \(file)") == .refused)
        }
        #expect(try outcome([], in: "keychain.db-wal", "no journal") == .partial)
    }

    // MARK: - Exchanged

    @Test func `each file of another keychain, alone, is refused, except for a journal`() throws {
        let other = try HostileStorageTests()
        for file in ["keychain.db", "keybag", "device.key"] {
            let bytes = try #require(other.files[file])
            #expect(try outcome(bytes, in: file, "\(file) of another") == .refused, "\(file)")
        }
        // A journal has no keys of its own: its pages go into this database, and none of their rows opens.
        let journal = try #require(other.files["keychain.db-wal"])
        #expect(try outcome(journal, in: "keychain.db-wal", "the journal of another") != .whole)
    }

    // MARK: - Damage is found, and repaired

    /// The damage that no call notices, since a row that cannot be reached is as if it were not there.
    @Test func `what is missing after any damage is noticed by a verification, and a repair leaves a whole keychain`()
        throws
    {
        var generator = Seeded()
        let original = files["keychain.db"] ?? []
        var (repaired, kept, lost, refused) = (0, 0, 0, 0)
        for round in 0..<Campaign.rounds(250, sample: 60) {
            var bytes = original
            let index = Int.random(in: bytes.indices, using: &generator)
            let length = [1, 1, 16, 600, 4096][round % 5]
            for place in index..<min(index + length, bytes.count) {
                bytes[place] ^= .random(in: 1...255, using: &generator)
            }
            let label = "\(length) bytes at \(index)"
            let outcome = try outcome(bytes, in: "keychain.db", label)
            let report = try keychain.connection().verify()
            if outcome != .whole { #expect(!report.isWhole, "\(label): \(outcome)") }
            guard !report.isWhole else { continue }
            let before = try keychain.contents()
            do {
                let result = try keychain.connection().repair()
                repaired += 1
                let connection = keychain.connection()
                let found = try Set(connection.all())
                #expect(found.isSubset(of: history), "\(label): a value that was never stored")
                if result.incomplete.isEmpty, result.setAside == 0 { #expect(found == items, "\(label)") }
                kept += found.count
                lost += items.subtracting(found).count
                let problems = try connection.verify().problems
                #expect(problems.isEmpty, "\(label): \(problems)")
                try connection.add("after", value: "the repair")
                #expect(try keychain.connection().value(of: "after") == "the repair", "\(label)")
                if case .replaced(let name) = result.outcome {
                    #expect(try keychain.read(name) == Array(before["keychain.db"] ?? Data()), "\(label)")
                    #expect(try keychain.read(name + "-wal") == Array(before["keychain.db-wal"] ?? Data()), "\(label)")
                }
            } catch let error as KeychainError {
                #expect(error.code == .notAvailable, "\(label): \(error)")
                refused += 1
                #expect(try keychain.contents() == before, "\(label): refused and changed")
            }
        }
        print("\(repaired) repairs kept \(kept) items and lost \(lost); \(refused) were refused")
    }
}
