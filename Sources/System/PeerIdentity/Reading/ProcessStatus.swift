/// The lines of /proc/PID/status that matter here (proc_pid_status(5)).
package struct ProcessStatus: Sendable, Equatable {
    package let pid: Int32
    package let tracer: Int32
    package let pidNamespaceDepth: Int
    package let uids: ProcessIDs
    package let gids: ProcessIDs
    package let permittedCapabilities: UInt64
    package let noNewPrivileges: Bool
    package let seccompMode: Int

    /// - Parameter text: the whole file. Its first line is the process's own name for itself. The kernel escapes the line
    ///   feeds in it; where a line is there twice all the same, nothing is believed.
    /// - Returns: nil if anything is missing or is not as the kernel writes it.
    package init?(_ text: some Sequence<UInt8>) {
        var values: [String: [Substring]] = [:]
        for line in String(decoding: Array(text), as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = String(line[..<colon])
            guard Self.lines.contains(name) else { continue }
            guard values[name] == nil else { return nil }
            values[name] = line[line.index(after: colon)...].split { $0 == "\t" || $0 == " " }
        }

        func number<Number: FixedWidthInteger>(_ name: String, radix: Int = 10) -> Number? {
            guard let fields = values[name], fields.count == 1 else { return nil }
            return fields.first.flatMap { Number($0, radix: radix) }
        }
        func ids(_ name: String) -> ProcessIDs? {
            guard let fields = values[name], fields.count == 4 else { return nil }
            let numbers = fields.compactMap { UInt32($0) }
            guard numbers.count == 4 else { return nil }
            return ProcessIDs(real: numbers[0], effective: numbers[1], saved: numbers[2], fileSystem: numbers[3])
        }

        guard let pid: Int32 = number("Tgid"), let tracer: Int32 = number("TracerPid"),
            let namespaces = values["NSpid"], !namespaces.isEmpty,
            let uids = ids("Uid"), let gids = ids("Gid"),
            let capabilities: UInt64 = number("CapPrm", radix: 16),
            let noNewPrivileges: Int = number("NoNewPrivs"), let seccomp: Int = number("Seccomp")
        else { return nil }
        self.pid = pid
        self.tracer = tracer
        self.pidNamespaceDepth = namespaces.count
        self.uids = uids
        self.gids = gids
        self.permittedCapabilities = capabilities
        self.noNewPrivileges = noNewPrivileges != 0
        self.seccompMode = seccomp
    }

    private static let lines: Set = ["Tgid", "TracerPid", "NSpid", "Uid", "Gid", "CapPrm", "NoNewPrivs", "Seccomp"]
}
