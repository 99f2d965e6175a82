import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A user who means to fill the disk of the service, which is not under the quotas of the system's users.
///
/// The control is a second user, for whom an administrator has written a larger quota down: the same goes through.
@Suite(
    .enabled(if: AttackedMachine.obstacle == nil, "needs root, namespaces, setpriv, nsenter and a C compiler"),
    .serialized
)
struct QuotaAttackTests {
    /// Two users for a test, of whom the second has room.
    private struct Users {
        let limited: UInt32
        var roomy: UInt32 { limited + 1 }

        static let values = Users(limited: 64_140)
        static let attributes = Users(limited: 64_142)
        static let groups = Users(limited: 64_144)
        static let tombstones = Users(limited: 64_146)
        static let restorations = Users(limited: 64_148)
        static let all = [values, attributes, groups, tombstones, restorations]
    }

    private static let quota = 4 << 20
    private static let items = 60
    /// As docs/service.md has it: what is kept for those who delete, and a journal before it is written back.
    private static let settled = quota + 1 << 20 + 4 << 20
    /// While something is tried: the journal, and what a restoration has on its way.
    private static let underWay = settled + 32 << 20

    private static let machine = Result {
        let site = try AttackSite.shared.get()
        let quotas = site.folder + "/quotas"
        let lines = Users.all.map { "\($0.roomy) 1G 100000\n" }.joined()
        try Data(lines.utf8).write(to: URL(filePath: quotas))
        chmod(quotas, 0o644)
        return try AttackedMachine(
            site,
            options: ["--quota-bytes", "\(quota)", "--quota-items", "\(items)", "--quotas", quotas]
        )
    }

    private let machine: AttackedMachine
    private let program: String
    private let service: Int32

    init() throws {
        machine = try Self.machine.get()
        program = try machine.plain("attacked-program")
        service = try #require(machine.processes(named: "chatelained").first)
    }

    // MARK: - What users do and have

    /// What a program prints.
    private func run(_ words: [String], as uid: UInt32, input: String = "") throws -> String {
        try machine.run(words, as: uid, input: input).text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func fill(_ kind: String, _ count: Int, as uid: UInt32, by program: String? = nil) throws -> Filled {
        let text = try run([program ?? self.program, "fill", kind, "\(count)"], as: uid)
        let numbers = text.split { $0 != "-" && !$0.isNumber }.compactMap { Int($0) }
        guard text.hasPrefix("added "), numbers.count == 2 else { throw AttackFailure(text + machine.logText) }
        return Filled(count: numbers[0], status: numbers[1])
    }

    private struct Filled: Equatable {
        let count: Int
        let status: Int
    }

    private static let isFull = -34
    private static let isDone = 0

    private func folder(of uid: UInt32) -> String { machine.folder + "/data/users/\(uid)" }

    /// The database and its journal.
    private func size(of uid: UInt32) -> Int {
        let database = folder(of: uid) + "/keychain/keychain.db"
        return DiskWatch.size(of: [database, database + "-wal"])
    }

    // MARK: - Tests

    @Test(arguments: ["values", "attributes"])
    func `who adds items of a MiB is told that it is full, and can delete and add again (as root)`(_ kind: String)
        throws
    {
        let users: Users = kind == "values" ? .values : .attributes
        let watch = DiskWatch(folder(of: users.limited), of: service)
        let filled = try fill(kind, 40, as: users.limited)
        #expect((2...4).contains(filled.count) && filled.status == Self.isFull, "\(filled)")
        // Again and again, in large and in small.
        for _ in 0..<3 { #expect(try fill(kind, 40, as: users.limited) == Filled(count: 0, status: Self.isFull)) }
        let most = watch.end()
        #expect(most < Self.underWay, "\(most)")
        #expect(size(of: users.limited) < Self.settled, "\(size(of: users.limited))")
        #expect(try run([program, "count"], as: users.limited) == "\(filled.count) items")

        #expect(try run([program, "empty"], as: users.limited) == "deleted: [0, -25300]")
        #expect(try fill(kind, 2, as: users.limited) == Filled(count: 2, status: Self.isDone))
        #expect(size(of: users.limited) < Self.settled)

        #expect(try fill(kind, 12, as: users.roomy) == Filled(count: 12, status: Self.isDone))
        #expect(size(of: users.roomy) > Self.settled)
    }

    @Test func `who becomes another program for each group has one quota for all of them (as root)`() throws {
        let users = Users.groups
        /// A copy with a digest of its own, and so with a group of its own.
        func copy(_ number: Int, of uid: UInt32) throws -> String {
            let path = machine.folder + "/group-\(uid)-\(number)"
            let script = "cp \"$0\" \"$1\" && echo \"$1\" >>\"$1\""
            let made = try machine.run(["sh", "-c", script, program, path], as: nil)
            guard made.status == 0 else { throw AttackFailure(made.everything) }
            return path
        }
        let copies = try (0..<4).map { try copy($0, of: users.limited) }
        for path in copies.prefix(3) {
            #expect(try fill("items", 20, as: users.limited, by: path) == Filled(count: 20, status: Self.isDone))
        }
        for path in copies {
            #expect(
                try fill("items", 20, as: users.limited, by: path) == Filled(count: 0, status: Self.isFull)
            )
        }
        #expect(size(of: users.limited) < Self.settled)
        // They are different programs: each has its own items, and deletes those.
        #expect(try run([copies[0], "count"], as: users.limited) == "20 items")
        #expect(try run([copies[0], "empty"], as: users.limited) == "deleted: [0, -25300]")
        #expect(
            try fill("items", 40, as: users.limited, by: copies[3]) == Filled(count: 20, status: Self.isFull)
        )
        for path in copies {
            #expect(try fill("items", 20, as: users.roomy, by: path) == Filled(count: 20, status: Self.isDone))
        }
    }

    @Test func `who adds and deletes synchronizable items has tombstones counted, and can delete these (as root)`()
        throws
    {
        let users = Users.tombstones
        #expect(try fill("tombstones", 200, as: users.limited) == Filled(count: Self.items, status: Self.isFull))
        #expect(try run([program, "count"], as: users.limited) == "0 items")
        #expect(try fill("items", 1, as: users.limited) == Filled(count: 0, status: Self.isFull))
        #expect(size(of: users.limited) < Self.settled)
        #expect(try run([program, "empty"], as: users.limited) == "deleted: [-25300, 0]")
        #expect(try fill("tombstones", 20, as: users.limited) == Filled(count: 20, status: Self.isDone))

        #expect(try fill("tombstones", 200, as: users.roomy) == Filled(count: 200, status: Self.isDone))
    }

    @Test(arguments: [10, 24])
    func
        `who restores a backup that is larger than the quota is told that it is full, and has what was there (as root)`(
            _ mebibytes: Int
        ) throws
    {
        let users = Users.restorations
        let chatelaine = try machine.plain("chatelaine")
        for uid in [users.limited, users.roomy] {
            #expect(try run([program, "empty"], as: uid).hasPrefix("deleted: "))
            #expect(try fill("values", 1, as: uid) == Filled(count: 1, status: Self.isDone))
            let words = [chatelaine, "passcode", "set", "--stdin", "--uid", "\(uid)"]
            // The second time it is set already.
            _ = try machine.run(words, as: nil, input: "passcode\n")
        }
        #expect(try fill("values", mebibytes - 1, as: users.roomy).count == mebibytes - 1)
        let home = machine.folder + "/backup-\(mebibytes)"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        chmod(home, 0o777)
        let backup = home + "/backup"
        let made = try run(
            [chatelaine, "backup", "create", "--stdin", backup],
            as: users.roomy,
            input: "passcode\na passphrase\n"
        )
        #expect(made.contains("\(mebibytes) items"), "\(made)")
        chmod(backup, 0o644)

        let restoring = [chatelaine, "backup", "restore", "--stdin", "--accept-origin", backup]
        let watch = DiskWatch(folder(of: users.limited), of: service)
        let result = try machine.run(restoring, as: users.limited, input: "passcode\na passphrase\n")
        #expect(result.status != 0 && result.everything.contains("quota"), "\(result.everything)")
        let most = watch.end()
        #expect(most < Self.underWay, "\(most)")
        #expect(size(of: users.limited) < Self.settled, "\(size(of: users.limited))")
        #expect(try run([program, "count"], as: users.limited) == "1 items")
        #expect(try run([program, "empty"], as: users.limited) == "deleted: [0, -25300]")
        #expect(try fill("values", 2, as: users.limited) == Filled(count: 2, status: Self.isDone))

        // The file is in order, and its maker has room for it.
        #expect(try run([program, "empty"], as: users.roomy) == "deleted: [0, -25300]")
        let restored = try run(restoring, as: users.roomy, input: "passcode\na passphrase\n")
        #expect(restored.contains("\(mebibytes) added"), "\(restored)")
        #expect(size(of: users.roomy) > Self.settled)
    }
}
