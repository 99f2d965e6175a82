import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainTrust

@Suite("The cache of answers about revocation")
struct RevocationCacheTests {
    private let folder: String
    private let cache: RevocationCache

    init() throws {
        folder = try Self.temporaryFolder() + "/cache/chatelaine/revocation"
        cache = RevocationCache(path: folder)
    }

    /// A folder that goes with this machine's temporary ones.
    private func temporaryFolder() throws -> String { try Self.temporaryFolder() }

    private static func temporaryFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "revocation-cache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    private func file(_ name: String) -> String { folder + "/" + name }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func size(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    @Test func `what is stored is there, under its kind and its name`() {
        #expect(cache.contents(of: .server, named: "A") == nil)
        cache.store([1, 2, 3], as: .server, named: "A")
        cache.store([4], as: .list, named: "A")
        #expect(cache.contents(of: .server, named: "A") == [1, 2, 3])
        #expect(cache.contents(of: .list, named: "A") == [4])
        cache.store([5], as: .server, named: "A")
        #expect(cache.contents(of: .server, named: "A") == [5])
        cache.remove(.server, named: "A")
        #expect(cache.contents(of: .server, named: "A") == nil)
        #expect(cache.contents(of: .list, named: "A") == [4])
    }

    @Test func `a file has the form that its description gives it`() throws {
        cache.store([1, 2, 3], as: .server, named: "AB")
        cache.store([4], as: .list, named: "CD")
        #expect(try names() == ["list-CD", "response-AB"])
        let response = try Data(contentsOf: URL(filePath: file("response-AB")))
        #expect(response == Data([0x43, 0x48, 0x52, 0x56, 0, 1, 0, 1, 1, 2, 3]))
        #expect(try Data(contentsOf: URL(filePath: file("list-CD"))) == Data([0x43, 0x48, 0x52, 0x56, 0, 1, 0, 2, 4]))
    }

    @Test func `the folder and its files are their owner's alone, even if they were not`() throws {
        cache.store([1], as: .server, named: "A")
        #expect(try permissions(folder) == 0o700)
        #expect(try permissions(URL(filePath: folder).deletingLastPathComponent().path) == 0o700)
        #expect(try permissions(file("response-A")) == 0o600)
        chmod(folder, 0o777)
        #expect(cache.contents(of: .server, named: "A") == [1])
        #expect(try permissions(folder) == 0o700)
    }

    @Test func `what is no file of the cache's is not read and not followed`() throws {
        cache.store([1], as: .server, named: "A")
        let whole = try Data(contentsOf: URL(filePath: file("response-A")))
        let elsewhere = try temporaryFolder() + "/file"
        try whole.write(to: URL(filePath: elsewhere))
        let place = file("response-A")
        for (kind, make) in [
            ("link", { _ = symlink(elsewhere, place) }), ("pipe", { _ = mkfifo(place, 0o600) }),
            ("folder", { _ = mkdir(place, 0o700) }),
            (
                "too large",
                {
                    _ = creat(place, 0o600); _ = truncate(place, 1 << 40)
                }
            ),
            ("other version", { try? (Data("CHRV".utf8) + [0, 2, 0, 1, 1]).write(to: URL(filePath: place)) }),
            ("other kind", { try? (Data("CHRV".utf8) + [0, 1, 0, 2, 1]).write(to: URL(filePath: place)) }),
            ("nothing", { try? Data().write(to: URL(filePath: place)) }),
        ] as [(String, () -> Void)] {
            try FileManager.default.removeItem(atPath: place)
            make()
            let began = ContinuousClock.now
            #expect(cache.contents(of: .server, named: "A") == nil, "\(kind)")
            #expect(ContinuousClock.now - began < .seconds(2), "\(kind)")
        }
        // The control.
        try FileManager.default.removeItem(atPath: place)
        try whole.write(to: URL(filePath: place))
        #expect(cache.contents(of: .server, named: "A") == [1])
    }

    @Test func `a link in the place of a file is replaced, and what it leads to stays`() throws {
        let elsewhere = try temporaryFolder() + "/file"
        try Data("mine".utf8).write(to: URL(filePath: elsewhere))
        cache.store([1], as: .server, named: "B")
        #expect(symlink(elsewhere, file("response-A")) == 0)
        cache.store([1], as: .server, named: "A")
        #expect(cache.contents(of: .server, named: "A") == [1])
        #expect(try Data(contentsOf: URL(filePath: elsewhere)) == Data("mine".utf8))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `a file or a folder of somebody else's is not read`() throws {
        cache.store([1], as: .server, named: "A")
        #expect(lchown(file("response-A"), 4_242, 4_242) == 0)
        #expect(cache.contents(of: .server, named: "A") == nil)
        cache.store([2], as: .server, named: "B")
        #expect(cache.contents(of: .server, named: "B") == [2])
        #expect(lchown(folder, 4_242, 4_242) == 0)
        #expect(cache.contents(of: .server, named: "B") == nil)
        cache.store([3], as: .server, named: "C")
        #expect(!FileManager.default.fileExists(atPath: file("response-C")))
    }

    @Test func `a folder that is a link is not used`() throws {
        let elsewhere = try temporaryFolder()
        let parent = URL(filePath: folder).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        #expect(symlink(elsewhere, folder) == 0)
        cache.store([1], as: .server, named: "A")
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
    }

    @Test func `the oldest files go where there are too many or too much`() throws {
        for number in 0..<300 { cache.store([1], as: .server, named: "\(number)") }
        #expect(try names().count == RevocationCache.mostFiles)
        #expect(cache.contents(of: .server, named: "0") == nil)
        #expect(cache.contents(of: .server, named: "299") == [1])
        let long = [UInt8](repeating: 0, count: 8 << 20)
        for number in 0..<6 { cache.store(long, as: .list, named: "\(number)") }
        let sizes = try names().map { try size(file($0)) }
        #expect(sizes.reduce(0, +) <= RevocationCache.mostBytes)
        #expect(cache.contents(of: .list, named: "5") == long)
        #expect(cache.contents(of: .list, named: "0") == nil)
    }

    @Test func `old files go, and so does what a writer that ended has left`() throws {
        cache.store([1], as: .server, named: "old")
        cache.store([1], as: .server, named: "new")
        try Data().write(to: URL(filePath: file("new-abandoned")))
        try Data().write(to: URL(filePath: file("new-fresh")))
        let day = Date().timeIntervalSince1970 - 8 * 86_400
        for name in ["response-old", "new-abandoned"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: day)],
                ofItemAtPath: file(name)
            )
        }
        cache.store([1], as: .server, named: "newer")
        #expect(try names() == ["new-fresh", "response-new", "response-newer"])
    }

    @Test func `the cache is where the environment says, and nowhere without it`() {
        func path(_ variables: [String: String]) -> String? { RevocationCache.path { variables[$0] } }
        #expect(path(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/chatelaine/revocation")
        #expect(path(["XDG_CACHE_HOME": "c", "HOME": "/h"]) == "/h/.cache/chatelaine/revocation")
        #expect(path(["HOME": "/h"]) == "/h/.cache/chatelaine/revocation")
        #expect(path(["XDG_CACHE_HOME": "", "HOME": "h"]) == nil)
        #expect(path([:]) == nil)
    }

    @Test func `a place that cannot be written keeps nothing and harms nobody`() {
        let nowhere = RevocationCache(path: "/proc/none/chatelaine/revocation")
        nowhere.store([1], as: .server, named: "A")
        #expect(nowhere.contents(of: .server, named: "A") == nil)
    }

    @Test func `addresses are of http and https alone, and name a host and no user`() {
        for good in ["http://a.example", "HTTPS://a.example/x?y#z", "http://127.0.0.1:80/", "http://[::1]/"] {
            #expect(RevocationServer(good) != nil, "\(good)")
        }
        for bad in [
            "", "a.example", "ftp://a.example", "file:///etc/passwd", "http:/a", "http://", "http:///x", "http://:80/",
            "http://user:secret@a.example/", "http://a.example/ x", "http://a.example/\n", "http://ä.example",
            "ldap://a.example", "http://a\\b", "http://a.example/" + String(repeating: "x", count: 2_048),
        ] {
            #expect(RevocationServer(bad) == nil, "\(bad)")
        }
    }
}
