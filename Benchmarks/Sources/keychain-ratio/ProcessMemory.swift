import CAllocator
import Foundation
import KeychainMeasuring

/// What this process has in memory, in MiB.
struct ProcessMemory {
    /// What the system gave it, from `/proc/self/statm` (proc(5)).
    let resident: Double
    /// What the allocator has given out and not got back, from mallinfo2(3), all arenas. The rest it keeps.
    let live: Double

    static var now: ProcessMemory {
        let allocated = mallinfo2()
        return ProcessMemory(resident: pages, live: Double(allocated.uordblks + allocated.hblkhd) / 1_048_576)
    }

    private static var pages: Double {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return .nan }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Double(fields[1]) else { return .nan }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    static func - (left: ProcessMemory, right: ProcessMemory) -> ProcessMemory {
        ProcessMemory(resident: left.resident - right.resident, live: left.live - right.live)
    }

    var text: String { "\(resident.text(1)) MiB, of which \(live.text(1)) live" }
}
