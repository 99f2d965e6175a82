import Foundation

/// A folder in memory, where every kernel makes files without names.
final class TemporaryFolder {
    let path = "/dev/shm/chatelaine-test-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
    }
}
