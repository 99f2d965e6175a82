import Foundation
import Glibc
import KeychainSync
import KeychainTestSupport
import SyncTransport
import Testing

/// A suite of tests, each with a folder of its own.
protocol TransportSuite {
    var folder: TransportFolder { get }
}

extension TransportSuite {
    var transport: FolderTransport { FolderTransport(path: folder.path) }
    var circle: CircleID { SyncHash(of: [1]) }
    var journal: JournalID { folder.journal }
    /// Where the circle's blobs are.
    var place: String { "chatelaine/1/\(circle.text)" }
}

/// A folder of a test's own.
final class TransportFolder: Sendable {
    let path: String
    let journal: JournalID

    init() throws {
        journal = try #require(SyncName([UInt8](repeating: 0xAB, count: 16)))
        path = FileManager.default.temporaryDirectory.appending(path: "chatelaine-sync-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func url(_ name: String) -> URL { URL(filePath: path + "/" + name) }

    func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
    }

    func make(_ folder: String) throws {
        try FileManager.default.createDirectory(at: url(folder), withIntermediateDirectories: true)
    }

    func write(_ text: String, to name: String) throws {
        try make((name as NSString).deletingLastPathComponent)
        try Data(text.utf8).write(to: url(name))
    }

    func text(of name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

    /// Puts a link in place of what is there.
    func link(_ name: String, to target: String) throws {
        try make((name as NSString).deletingLastPathComponent)
        try? FileManager.default.removeItem(at: url(name))
        try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
    }

    func inode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.systemFileNumber] as? Int
    }
}

/// A disk with little room.
final class SmallDisk {
    let path: String

    static let isPossible = geteuid() == 0 && (try? SmallDisk(kibibytes: 16)) != nil

    init(kibibytes: Int) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "chatelaine-disk-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard mount("none", path, "tmpfs", 0, "size=\(kibibytes)k,mode=700") == 0 else {
            try? FileManager.default.removeItem(atPath: path)
            throw NeverHappened(description: "no disk can be mounted: \(errno)")
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(atPath: path)
    }
}
