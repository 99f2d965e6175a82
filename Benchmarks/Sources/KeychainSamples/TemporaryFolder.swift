import Foundation
import Synchronization

/// A folder that goes with its owner, or with the process where that comes first: owners that live until the end are
/// never deinitialized.
public final class TemporaryFolder: Sendable {
    public let url: URL
    private static let existing = Mutex<Set<URL>>([])
    private static let removeAtExit: Void = {
        atexit {
            for url in TemporaryFolder.existing.withLock({ $0 }) { try? FileManager.default.removeItem(at: url) }
        }
    }()

    public init(_ name: String, in parent: URL) throws {
        _ = Self.removeAtExit
        let url = parent.appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        self.url = url
        Self.existing.withLock { _ = $0.insert(url) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        Self.existing.withLock { _ = $0.remove(url) }
    }

    /// Where files are in memory, if there is such a place, and else the folder given.
    static func nursery(or parent: URL) -> URL {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path) ? memory : parent
    }

    func copyContents(to target: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            try FileManager.default.copyItem(at: url.appending(path: name), to: target.appending(path: name))
        }
    }
}
