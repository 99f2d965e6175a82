import Foundation
import Glibc

/// Looks again and again how much of the disk a user's part of the service takes: its folder, and what the service has open
/// without a name.
final class DiskWatch: @unchecked Sendable {
    // Unchecked: behind a lock.
    private let lock = NSLock()
    private var isOver = false
    private var largest = 0
    private let folder: String
    private let service: Int32
    private let done = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - folder: the user's.
    ///   - service: the process.
    init(_ folder: String, of service: Int32) {
        self.folder = folder
        self.service = service
        Thread.detachNewThread { [self] in
            while !lock.withLock({ isOver }) {
                let size = size
                lock.withLock { largest = max(largest, size) }
                usleep(5_000)
            }
            done.signal()
        }
    }

    /// Ends it.
    ///
    /// - Returns: the most that there was, in bytes.
    func end() -> Int {
        lock.withLock { isOver = true }
        done.wait()
        return largest
    }

    private var size: Int {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        let files = names.reduce(0) { $0 + (Self.status(folder + "/" + $1).map(Self.size) ?? 0) }
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(service)/fd")) ?? []
        return descriptors.reduce(files) { sum, name in
            let path = "/proc/\(service)/fd/\(name)"
            guard let place = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                place.hasPrefix(folder + "/"), let status = Self.status(path), status.st_nlink == 0
            else { return sum }
            return sum + Self.size(status)
        }
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status : nil
    }

    private static func size(_ status: stat) -> Int { Int(status.st_size) }

    /// The sizes of single files that are there now, together.
    static func size(of files: [String]) -> Int { files.reduce(0) { $0 + (status($1).map(size) ?? 0) } }
}
