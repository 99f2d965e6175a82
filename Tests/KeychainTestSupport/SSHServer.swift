import Foundation
import Glibc
import Testing

/// Where a server has its files, and who logs in to it.
package protocol SSHSite: AnyObject {
    var folder: String { get }

    /// Runs a program as who logs in.
    func run(words: [String]) throws -> FinishedProgram
}

/// OpenSSH's own server, with a host key of its own, on a free port of this machine alone.
package final class SSHServer: @unchecked Sendable {
    // Unchecked: the process is started in the initialiser and killed after that.
    package let name: String
    package let port: Int
    private let site: any SSHSite
    private let process = Process()

    /// - Parameters:
    ///   - name: what `known_hosts` and the client call it.
    ///   - options: more lines of its settings.
    package init(_ name: String, at site: any SSHSite, _ options: [String] = []) throws {
        self.name = name
        self.site = site
        port = try Self.freePort()
        let folder = site.folder
        let made = try site.run(words: ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/\(name)-host"])
        try #require(made.status == 0, "\(made.errors)")
        try write("", to: name + "-keys")
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
        try write(settings.joined(separator: "\n") + "\n", to: name + "-settings")
        _ = FileManager.default.createFile(atPath: site.folder + "/\(name)-log", contents: nil)
        // sshd closes all that it inherits, from which Foundation would conclude that it has ended. The shell does not.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "/usr/sbin/sshd -D -e -f '\(site.folder)/\(name)-settings'; exit $?"]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: site.folder + "/\(name)-log")
        try process.runHearingSignals()
        try waitUntil("sshd listens: \(log)") { log.contains("Server listening") }
        let key = try read(name + "-host.pub").split(separator: " ").prefix(2).joined(separator: " ")
        let known = (try? read(".ssh/known_hosts")) ?? ""
        try FileManager.default.createDirectory(atPath: folder + "/.ssh", withIntermediateDirectories: true)
        try write(known + "\(name) \(key)\n", to: ".ssh/known_hosts")
    }

    deinit {
        let line = (try? read(name + "-pid"))?.split(separator: "\n").first
        if process.isRunning, let identifier = line.flatMap({ pid_t($0) }) { kill(identifier, SIGKILL) }
        process.waitForExit()
    }

    package var log: String { (try? read(name + "-log")) ?? "" }

    /// What a prompt says of it.
    package func inPrompt() throws -> String {
        let line = try site.run(words: ["ssh-keygen", "-l", "-f", "\(site.folder)/\(name)-host.pub"]).output
        return "\(name) (\(line.split(separator: " ")[1]))"
    }

    /// Lets a key in.
    package func authorize(_ line: String) throws { try write(line + "\n", to: name + "-keys") }

    /// What ssh needs to get here.
    package func arguments(_ options: [String] = []) throws -> [String] {
        [
            "-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "HostKeyAlias=\(name)", "-o",
            "UserKnownHostsFile=\(site.folder)/.ssh/known_hosts", "-o", "IdentityFile=none", "-p", "\(port)",
        ] + options + ["127.0.0.1"]
    }

    /// Logs in, and runs a command there.
    package func logIn(_ options: [String] = [], command: String = "echo welcome") throws -> FinishedProgram {
        try site.run(words: ["ssh"] + arguments(options) + [command])
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: site.folder + "/" + name))
    }

    private func read(_ name: String) throws -> String {
        try String(contentsOfFile: site.folder + "/" + name, encoding: .utf8)
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
