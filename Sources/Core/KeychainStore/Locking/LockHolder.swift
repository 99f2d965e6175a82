import Glibc
import KeychainSystem

/// Names the process that holds a `flock`, from `/proc/locks` (proc(5)).
enum LockHolder {
    /// For example "process 4711 (security)"; nil if it cannot be told, as across PID namespaces.
    static func find(_ lock: some OpenDescriptor) -> String? {
        guard let stamp = try? lock.stamp(), let table = text(of: "/proc/locks") else { return nil }
        let inode = String(stamp.inode)
        for line in table.split(separator: "\n") {
            // "1: FLOCK  ADVISORY  WRITE 4711 fd:01:123456 0 EOF"
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0,
                fields[5].split(separator: ":").last.map(String.init) == inode
            else { continue }
            let name = text(of: "/proc/\(process)/comm")?.split(separator: "\n").first
            return "process \(process)" + (name.map { " (\($0))" } ?? "")
        }
        return nil
    }

    private static func text(of path: String) -> String? {
        guard let file = try? Descriptor(opening: path, O_RDONLY), let bytes = try? file.prefix(1 << 24) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
