import Foundation
import KeychainModel
import KeychainTestSupport

@testable import EnclaveClient
@testable import KeychainSystem

/// chatelaine-enclave as it is started by the service: a process of another user, on a pair of sockets and with a socket
/// for owners. Only root can start it.
final class EnclaveProcess: Sendable {
    let folder: String
    let directory: String
    let controlPath: String
    let first: PacketSocket
    let identifier: Int32

    /// Nobody's number.
    static let user: UInt32 = 64_131

    /// - Parameter wrapper: a program and its arguments that start it; `identifier` is that program's then.
    init(wrapper: [String] = []) throws {
        folder = "/tmp/chatelaine-enclave-process-\(UUID().uuidString)"
        directory = folder + "/data"
        controlPath = folder + "/enclave.sock"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        chmod(folder, 0o755)
        let (ours, theirs) = try PacketSocket.pair()
        first = ours
        // The program takes its sockets by number; a shell puts them there.
        let script = """
            import os, socket, sys
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            listener.bind(sys.argv[2])
            listener.listen(100)
            service = os.dup(0)
            owners = os.dup(listener.fileno())
            os.dup2(service, 3)
            os.dup2(owners, 4)
            os.execv(sys.argv[1], [sys.argv[1], '--user', '\(Self.user)', '--directory', sys.argv[3],
                                   '--descriptor', '3', '--owners', '4'])
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            wrapper + [
                "/usr/bin/python3", "-c", script, ServiceProcess.program("chatelaine-enclave"), controlPath, directory,
            ]
        process.standardInput = FileHandle(fileDescriptor: theirs.number, closeOnDealloc: false)
        try process.runHearingSignals()
        identifier = process.processIdentifier
    }

    deinit {
        kill(identifier, SIGKILL)
        try? FileManager.default.removeItem(atPath: folder)
    }

    func connection() -> EnclaveConnection { EnclaveConnection(.connected(first)) }

    /// A line of /proc/PID/status.
    func status(_ name: String) -> String? {
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }

    /// Which of some bytes are somewhere in the process's memory, as root reads it.
    func memoryContains(_ needles: [String: [UInt8]]) -> Set<String> {
        guard let maps = try? KernelFile.text("/proc/\(identifier)/maps") else { return [] }
        let memory = open("/proc/\(identifier)/mem", O_RDONLY | O_CLOEXEC)
        defer { close(memory) }
        var found: Set<String> = []
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, words[1].hasPrefix("r"), !line.contains("[v") else { continue }
            var bytes = Data(count: Int(ends[1] - ends[0]))
            let count = bytes.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, off_t(ends[0])) }
            guard count > 0 else { continue }
            for (name, needle) in needles where bytes[..<count].contains(bytes: needle) { found.insert(name) }
        }
        return found
    }
}
