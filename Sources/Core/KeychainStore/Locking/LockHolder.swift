import Glibc

/// Names the process that holds a `flock`, from `/proc/locks` (proc(5)).
enum LockHolder {
    /// For example "process 4711 (security)"; nil if it cannot be told, as across PID namespaces.
    static func find(descriptor: Int32) -> String? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, let table = text(of: "/proc/locks") else { return nil }
        let inode = String(status.st_ino)
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
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
