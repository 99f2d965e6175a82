import Foundation
import Glibc
import KeychainModel
import KeychainServer
import KeychainTestSupport
import Logging
import Testing

/// The administrator's file of quotas, and those that somebody else made of it.
@Suite("The file of quotas")
struct QuotaFileTests {
    private static let standard = StorageQuota.Limit(bytes: 256 << 20, items: 1_000)

    private func parse(_ text: String) -> (table: QuotaTable, bad: [QuotaTable.BadLine]) {
        QuotaTable.parse(text, standard: Self.standard) { $0 == "alice" ? 1_000 : nil }
    }

    @Test
    func `a default, names and numbers are read, with comments and units`() {
        let (table, bad) = parse("# all\n\ndefault 64M 500\nalice 1G 2K # more\n1001\t8M\t0\n")
        #expect(bad == [])
        #expect(table.limit(of: 7) == StorageQuota.Limit(bytes: 64 << 20, items: 500))
        #expect(table.limit(of: 1_000) == StorageQuota.Limit(bytes: 1 << 30, items: 2_048))
        #expect(table.limit(of: 1_001) == StorageQuota.Limit(bytes: 8 << 20, items: 0))
    }

    @Test(arguments: [
        "default", "default 64M", "default 64M 1 1", "default 0 1", "default -1 1", "default 18446744073709551616 1",
        "default 9223372036854775807G 1", "default 64M -1", "default 64M 1e3", "default ٣ 1", "default unlimited 1",
        "default 2T 1", "default 4096G 1", "bob 64M 1", "4294967296 64M 1", "-1 64M 1",
    ])
    func `a line of nonsense is named, and says nothing`(_ line: String) {
        let (table, bad) = parse("alice 64M 9\n\(line)\n")
        #expect(bad.map(\.number) == [2])
        #expect(table.standard == Self.standard)
        #expect(table.limit(of: 1_000) == StorageQuota.Limit(bytes: 64 << 20, items: 9))
    }

    @Test
    func `of two lines for one user the second is refused`() {
        #expect(parse("alice 64M 9\n1000 1G 9\n").bad.map(\.number) == [2])
        #expect(parse("default 64M 9\ndefault 1G 9\n").bad.map(\.number) == [2])
    }

    private final class Site {
        let folder = FileManager.default.temporaryDirectory.path + "/quotas-\(UUID().uuidString)"
        var path: String { folder + "/quotas" }
        var log = Logger(label: "test")

        init() throws {
            log.logLevel = .critical
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func write(_ text: String, mode: mode_t = 0o644) throws {
            try? FileManager.default.removeItem(atPath: path)
            try Data(text.utf8).write(to: URL(filePath: path))
            chmod(path, mode)
        }

        func quotas(owner: UInt32 = getuid()) -> UserQuotas {
            UserQuotas(path: path, standard: QuotaFileTests.standard, owner: owner, log: log)
        }
    }

    private static let tight = "default 8M 10\n"
    private static let tightLimit = StorageQuota.Limit(bytes: 8 << 20, items: 10)

    @Test
    func `a change of the file counts for keychains that are open`() throws {
        let site = try Site()
        let quotas = site.quotas()
        let quota = quotas.quota(of: 5)
        #expect(quota.limit == Self.standard)
        // A look within a second of another one looks at nothing.
        func waitFor(_ limit: StorageQuota.Limit) throws {
            try waitUntil("the limit is \(limit)") {
                quotas.readIfChanged()
                return quota.limit == limit
            }
        }
        try site.write(Self.tight)
        try waitFor(Self.tightLimit)
        try FileManager.default.removeItem(atPath: site.path)
        try waitFor(Self.standard)
    }

    @Test
    func `a file with a bad line gives nobody more than before`() throws {
        let site = try Site()
        try site.write(Self.tight)
        let quotas = site.quotas()
        #expect(quotas.quota(of: 5).limit == Self.tightLimit)
        try site.write("default 1G 100000\n6 4M 5\nnonsense\n")
        let read = StorageQuota.Limit(bytes: 4 << 20, items: 5)
        try waitUntil("the file is read") {
            quotas.readIfChanged()
            return quotas.quota(of: 6).limit == read
        }
        #expect(quotas.quota(of: 5).limit == Self.tightLimit)
    }

    @Test(arguments: [
        "another's", "open to others", "a link", "a pipe", "a folder", "too large", "no text", "twice named",
    ])
    func `a file that is not root's alone changes nothing`(_ kind: String) throws {
        let site = try Site()
        var owner = getuid()
        let loose = "default 1G 1000000\n"
        switch kind {
        case "another's":
            try site.write(loose)
            owner = getuid() + 1
        case "open to others": try site.write(loose, mode: 0o666)
        case "a link":
            try site.write(loose)
            #expect(rename(site.path, site.path + ".real") == 0 && symlink(site.path + ".real", site.path) == 0)
        case "a pipe": #expect(mkfifo(site.path, 0o644) == 0)
        case "a folder": #expect(mkdir(site.path, 0o755) == 0)
        case "too large": try site.write(loose + String(repeating: "#", count: 70_000))
        case "twice named":
            try site.write(loose)
            #expect(link(site.path, site.path + ".other") == 0)
        default:
            try Data([0xFF, 0xFE]).write(to: URL(filePath: site.path))
            chmod(site.path, 0o644)
        }
        #expect(site.quotas(owner: owner).quota(of: 5).limit == Self.standard)
    }
}
