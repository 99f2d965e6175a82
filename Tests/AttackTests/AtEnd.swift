import Foundation
import Synchronization

/// What is undone when the tests end.
enum AtEnd {
    private static let folders = Mutex<[String]>([])
    private static let processes = Mutex<[Int32]>([])

    private static let isPrepared: Bool = {
        atexit {
            for process in AtEnd.processes.withLock(\.self) { Glibc.kill(process, SIGKILL) }
            for folder in AtEnd.folders.withLock(\.self) { try? FileManager.default.removeItem(atPath: folder) }
        } == 0
    }()

    static func remove(_ folder: String) {
        _ = isPrepared
        folders.withLock { $0.append(folder) }
    }

    static func kill(_ process: Int32) {
        _ = isPrepared
        processes.withLock { $0.append(process) }
    }
}
