import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// OpenSSH's own server, with a host key of its own, on a free port of this machine alone.
final class SSHServer: @unchecked Sendable {
    // Unchecked: the process is started in the initialiser and killed after that.
    let name: String
    let port: Int
    private let site: AgentSite
    private let process = Process()
    private var file: String { site.folder + "/" + name }

    /// - Parameters:
    ///   - name: what `known_hosts` and the client call it.
    ///   - options: more lines of its settings.
    init(_ name: String, at site: AgentSite, _ options: [String] = []) throws {
        self.name = name
        self.site = site
        port = try Self.freePort()
        try site.makeKey(name + "-host")
        try site.write("", to: name + "-keys")
        // sshd insists on it where it is started by root.
        if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
        let settings =
            [
                "Port \(port)", "ListenAddress 127.0.0.1", "HostKey \(site.folder)/\(name)-host", "UsePAM no",
                "AuthorizedKeysFile \(site.folder)/\(name)-keys", "StrictModes no",
                "PidFile \(site.folder)/\(name)-pid", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
                "PermitRootLogin yes",
                "LogLevel VERBOSE",
            ] + options
        try site.write(settings.joined(separator: "\n") + "\n", to: name + "-settings")
        _ = FileManager.default.createFile(atPath: site.folder + "/\(name)-log", contents: nil)
        // sshd closes all that it inherits, from which Foundation would conclude that it has ended. The shell does not.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "/usr/sbin/sshd -D -e -f '\(site.folder)/\(name)-settings'; exit $?"]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: site.folder + "/\(name)-log")
        try process.runHearingSignals()
        try waitUntil("sshd listens: \(log)") { log.contains("Server listening") }
        let key = try site.read(name + "-host.pub").split(separator: " ").prefix(2).joined(separator: " ")
        let known = (try? site.read(".ssh/known_hosts")) ?? ""
        try site.write(known + "\(name) \(key)\n", to: ".ssh/known_hosts")
    }

    deinit {
        let line = (try? site.read(name + "-pid"))?.split(separator: "\n").first
        if process.isRunning, let identifier = line.flatMap({ pid_t($0) }) { kill(identifier, SIGKILL) }
        process.waitForExit()
    }

    var log: String { (try? site.read(name + "-log")) ?? "" }

    /// What a prompt says of it.
    func inPrompt() throws -> String {
        let line = try site.succeed("ssh-keygen", ["-l", "-f", name + "-host.pub"])
        return "\(name) (\(line.split(separator: " ")[1]))"
    }

    /// Lets a key in.
    func authorize(_ line: String) throws { try site.write(line + "\n", to: name + "-keys") }

    /// What ssh needs to get here.
    func arguments(_ options: [String] = []) throws -> [String] {
        [
            "-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "HostKeyAlias=\(name)", "-o",
            "UserKnownHostsFile=\(site.folder)/.ssh/known_hosts", "-o", "IdentityFile=none", "-p", "\(port)",
        ] + options + ["127.0.0.1"]
    }

    /// Logs in with what the agent has, and runs a command there.
    func logIn(_ options: [String] = [], command: String = "echo welcome") throws -> AgentSite.Outcome {
        try site.run("ssh", try arguments(options) + [command])
    }

    private static func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, size) == 0 ? getsockname(socket, address, &size) : -1
            }
        }
        try #require(status == 0, "no port is free")
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
