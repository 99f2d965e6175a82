import Foundation
import GRDB
import Security

/// Keychains of more items than single adds could make, filled once and kept.
extension SampleKeychain {
    /// The keychain of so many items that is kept in a folder; made if it is not there, or is not as one would be made
    /// now.
    ///
    /// - Returns: the keychain, and how many seconds it took to fill, or nil if it was there.
    public static func filled(count: Int, in parent: URL) throws -> (keychain: SampleKeychain, seconds: Double?) {
        let folder = parent.appending(path: "keychain-\(count)")
        if try isCurrent(folder, count: count) {
            let keychain = SampleKeychain(count: count, at: folder, nil)
            try keychain.read()
            return (keychain, nil)
        }
        try? FileManager.default.removeItem(at: folder)
        let duration = try ContinuousClock().measure { try fill(folder, count: count) }
        let keychain = SampleKeychain(count: count, at: folder, nil)
        try keychain.read()
        return (keychain, duration / .seconds(1))
    }

    /// Whether the folder has a keychain of the schema of today, with so many items of the shape of today.
    private static func isCurrent(_ folder: URL, count: Int) throws -> Bool {
        let path = folder.appending(path: "keychain.db").path
        guard FileManager.default.fileExists(atPath: path) else { return false }
        let fresh = try SampleKeychain(count: 1, in: folder.deletingLastPathComponent())
        guard try schema(path) == schema(fresh.folder.appending(path: "keychain.db").path),
            try DatabaseQueue(path: path).read({ try Int.fetchOne($0, sql: "SELECT count(*) FROM genp") }) == count
        else { return false }
        let keychain = SampleKeychain(count: count, at: folder, nil)
        var result: CFTypeRef?
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecReturnData: true]
        for (key, value) in attributes(of: count - 1) { query[key] = Int(value) ?? value }
        return withExtendedLifetime(keychain) {
            SecItemCopyMatching(query as NSDictionary, &result) == errSecSuccess
                && result as? Data == Data(value(of: count - 1).utf8)
        }
    }

    private static func schema(_ path: String) throws -> [String] {
        try DatabaseQueue(path: path).read { database in
            try String.fetchAll(database, sql: "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY type, name")
        }
    }

    /// Has the filler, which is built beside this program, seal and insert the items, in memory where that is possible.
    private static func fill(_ folder: URL, count: Int) throws {
        let cradle = try TemporaryFolder(
            "keychain",
            in: TemporaryFolder.nursery(or: folder.deletingLastPathComponent())
        )
        let filler = Process()
        let items = Pipe()
        filler.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "keychain-filler")
        // The access group that this program has by its name.
        filler.arguments = [cradle.url.path, ProcessInfo.processInfo.processName]
        filler.standardInput = items
        try filler.run()
        var text = ""
        for number in 0..<count {
            text += line(number)
            if text.utf8.count > 1 << 20 || number == count - 1 {
                try items.fileHandleForWriting.write(contentsOf: Data(text.utf8))
                text = ""
            }
        }
        try items.fileHandleForWriting.close()
        filler.waitUntilExit()
        guard filler.terminationStatus == 0 else { throw Failure("the filler ended with \(filler.terminationStatus)") }
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try cradle.copyContents(to: folder)
    }

    private static func line(_ number: Int) -> String {
        let fields =
            [(kSecClass, kSecClassGenericPassword as String), (kSecValueData, value(of: number))]
            + attributes(of: number)
        return fields.map { "\($0.0)=\($0.1)" }.joined(separator: "\t") + "\n"
    }

    /// Has the system read the database, so that what is measured is not the disk.
    private func read() throws {
        let file = try FileHandle(forReadingFrom: folder.appending(path: "keychain.db"))
        while try file.read(upToCount: 1 << 24)?.isEmpty == false {}
        try file.close()
    }
}
