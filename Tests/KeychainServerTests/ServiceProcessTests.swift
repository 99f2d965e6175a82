import CProbe
import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Synchronization
import Testing

/// The service as it is started: a process of its own.
@Suite("The service's process", .serialized)
struct ServiceProcessTests {
    private let keychain: TestKeychain
    private var folder: String { keychain.surroundings }

    init() throws {
        keychain = try TestKeychain()
        chmod(keychain.surroundings, 0o755)
    }

    @Test func `the help names the program`() throws {
        let program = Process()
        program.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "chatelained")
        program.arguments = ["--help"]
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let help = try #require(try output.fileHandleForReading.readToEnd())
        program.waitUntilExit()
        #expect(program.terminationStatus == 0)
        #expect(String(decoding: help, as: UTF8.self).contains("USAGE: chatelained "))
    }

    private func client(_ service: ServiceProcess) -> ServiceConnection {
        ServiceConnection(ServiceAddress(path: service.socket, kind: .session))
    }

    private func add(_ account: String, secret: String = "secret") -> AddRequest {
        guard case .add(let request) = RawClient.add(account, secret: Array(secret.utf8)).action else { fatalError() }
        return request
    }

    private func find(_ account: String) -> FindRequest {
        guard case .find(let request) = RawClient.find(account).action else { fatalError() }
        return request
    }

    private func accounts(_ client: ServiceConnection) throws -> Set<String> {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.limit = .all
        request.returns = .attributes
        return Set(
            try client.find(request).compactMap { item in
                if case .string(let account) = item.attributes["acct"] { account } else { nil }
            }
        )
    }

    @Test
    func `nothing that was acknowledged is lost when the service is killed`() throws {
        var service = try ServiceProcess(in: folder)
        try #require(service.waitUntilReady(), "\(service.log)")
        let acknowledged = Mutex<Set<String>>([])
        let isOver = Atomic<Bool>(false)
        let group = DispatchGroup()
        let address = ServiceAddress(path: service.socket, kind: .session)
        for thread in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                let client = ServiceConnection(address)
                var number = 0
                while !isOver.load(ordering: .relaxed) {
                    let account = "\(thread)-\(number)"
                    do throws(KeychainError) {
                        _ = try client.add(add(account))
                        acknowledged.withLock { _ = $0.insert(account) }
                    } catch {
                        usleep(2000)
                    }
                    number += 1
                }
                group.leave()
            }
        }
        for round in 1...3 {
            try waitUntil("\(round * 10) adds are acknowledged", pause: 1_000) {
                acknowledged.withLock { $0.count } >= round * 10
            }
            service.kill()
            _ = service.waitForExit()
            try Data().write(to: URL(fileURLWithPath: service.errors))
            service = try ServiceProcess(in: folder)
            try #require(service.waitUntilReady(), "\(service.log)")
        }
        isOver.store(true, ordering: .relaxed)
        group.wait()
        let found = try accounts(client(service))
        #expect(acknowledged.withLock { $0.subtracting(found) }.isEmpty)
    }

    @Test
    func `a stop ends the process with nothing left behind`() throws {
        let service = try ServiceProcess(in: folder)
        try #require(service.waitUntilReady(), "\(service.log)")
        let client = client(service)
        _ = try client.add(add("a"))
        service.kill(SIGTERM)
        #expect(service.waitForExit() == 0)
        #expect(!FileManager.default.fileExists(atPath: service.socket))
        #expect(try Data(contentsOf: URL(fileURLWithPath: service.directory + "/keychain.db-wal")).isEmpty)
        #expect(throws: KeychainError(.notAvailable, "")) { try client.find(find("a")) }
    }

    /// Threads of libdispatch ask for one, and complain into the journal where they do not get it.
    @Test(arguments: ServiceProcess.Mode.possible)
    func `no process of the service asks for a priority, which its units forbid`(_ mode: ServiceProcess.Mode) throws {
        let service = try ServiceProcess(in: folder, mode: mode, wrapper: SeenKernel.forbiddingResources)
        try #require(service.waitUntilReady(), "\(service.log)")
        let client = client(service)
        _ = try client.add(add("a"))
        #expect(try client.find(find("a")).count == 1)
        service.kill(SIGTERM)
        #expect(service.waitForExit() == 0)
        // The control: whoever asks is ended.
        let asking = Process()
        asking.executableURL = URL(filePath: "/usr/bin/env")
        asking.arguments = SeenKernel.forbiddingResources + ["nice", "-n", "1", "true"]
        try asking.runHearingSignals()
        asking.waitForExit()
        #expect(asking.terminationReason == .uncaughtSignal)
    }

    @Test(arguments: ServiceProcess.Mode.possible)
    func `on an older kernel it serves as on this one`(_ mode: ServiceProcess.Mode) throws {
        let service = try ServiceProcess(in: folder, mode: mode, wrapper: SeenKernel.older.wrapper)
        try #require(service.waitUntilReady(), "\(service.log)")
        let client = client(service)
        _ = try client.add(add("a"))
        #expect(try client.find(find("a")).count == 1)
        service.kill(SIGTERM)
        #expect(service.waitForExit() == 0)
    }

    @Test
    func `a second service for the same folder ends with a message`() throws {
        let first = try ServiceProcess(in: folder)
        try #require(first.waitUntilReady(), "\(first.log)")
        let second = try ServiceProcess(
            in: folder,
            arguments: ["--socket", folder + "/other.sock"],
            bindsSocket: false
        )
        #expect(second.waitForExit() == 1)
        #expect(second.log.contains("another keychain service uses the folder"))
        #expect(try client(first).find(find("a")).isEmpty)
    }

    @Test
    func `storms of hostile clients leave its memory bounded`() throws {
        let service = try ServiceProcess(in: folder)
        try #require(service.waitUntilReady(), "\(service.log)")
        let bystander = client(service)
        _ = try bystander.add(add("a"))
        let before = service.residentMemory.now
        for _ in 0..<2 {
            let sockets = (0..<300).map { _ in cprobe_connect_as(service.socket, getuid()) }
            for socket in sockets where socket >= 0 {
                let bytes = [UInt8](repeating: 0x41, count: 4096)
                send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            for _ in 0..<20 { #expect(try bystander.find(find("a")).count == 1) }
            for socket in sockets where socket >= 0 { close(socket) }
        }
        let after = service.residentMemory
        print("resident memory in KiB: \(before) before, \(after.now) after, \(after.most) at most")
        #expect(after.most < before + (100 << 10))
        #expect(try bystander.find(find("a")).count == 1)
    }

    @Test
    func `a service that is short of descriptors goes on taking connections`() throws {
        let service = try ServiceProcess(in: folder, wrapper: ["prlimit", "--nofile=90:90"])
        try #require(service.waitUntilReady(), "\(service.log)")
        let sockets = (0..<200).map { _ in cprobe_connect_as(service.socket, getuid()) }
        #expect(sockets.allSatisfy { $0 >= 0 })
        for socket in sockets { close(socket) }
        let client = client(service)
        var found: Int?
        // The closed connections end on threads of their own.
        try waitUntil("the service answers", pause: 0) {
            found = try? client.find(find("a")).count
            return found != nil
        }
        #expect(found == 0)
    }

    @Test
    func `systemd hands over a socket and hears that the service is ready and that it stops`() throws {
        for name in [folder + "/notify", "@chatelaine-test-\(UUID().uuidString)"] {
            let supervisor = try Supervisor(name)
            let service = try ServiceProcess(
                in: folder,
                wrapper: [
                    "systemd-socket-activate", "--listen", folder + "/keychain.sock",
                    // It passes on what it is told to, and little else.
                    "--setenv=NOTIFY_SOCKET=" + name,
                ],
                bindsSocket: false
            )
            try waitUntil("the socket is there") { FileManager.default.fileExists(atPath: service.socket) }
            let client = client(service)
            // systemd-socket-activate does not pass credentials from the beginning, as the unit does.
            try waitUntil("the service answers", pause: 10_000) {
                (try? client.find(find("a"))) != nil || !service.isRunning
            }
            #expect(try client.add(add(name)) == nil)
            #expect(supervisor.next() == "READY=1")
            service.kill(SIGTERM)
            #expect(supervisor.next() == "STOPPING=1")
            #expect(service.waitForExit() == 0)
            unlink(service.socket)
            try Data().write(to: URL(fileURLWithPath: service.errors))
        }
    }

    /// Whoever NOTIFY_SOCKET names.
    private final class Supervisor {
        private let socket: Int32

        init(_ name: String) throws {
            socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { path in
                path.copyBytes(from: name.utf8)
                if name.hasPrefix("@") { path[0] = 0 }
            }
            let size = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count + (name.hasPrefix("@") ? 0 : 1))
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
            }
            guard result == 0 else { throw POSIXError(.EIO) }
        }

        deinit {
            close(socket)
        }

        func next() -> String {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = recv(socket, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test
    func `no copy of a secret stays in its memory (as root)`() throws {
        try #require(getuid() == 0, "only root can read another process's memory")
        let service = try ServiceProcess(in: folder)
        try #require(service.waitUntilReady(), "\(service.log)")
        let client = client(service)
        let canaries = (0..<5).map { _ in "canary-" + UUID().uuidString + UUID().uuidString }
        for (number, canary) in canaries.enumerated() {
            _ = try client.add(add("account \(number)", secret: canary))
            #expect(try client.find(find("account \(number)")).count == 1)
        }
        var update = UpdateRequest(query: find("account 1").query)
        update.changes.secrets[.valueData] = SecretBytes(Array((canaries[1] + "-new").utf8))
        #expect(try client.update(update) == 1)
        // The client is still connected: what its connection holds counts.
        let copies = try MemoryScan.count(of: canaries.map { Array($0.utf8) }, in: service.identifier)
        #expect(copies == 0)
    }

    @Test
    func `the process cannot be attached to, and leaves no core`() throws {
        let service = try ServiceProcess(in: folder)
        try #require(service.waitUntilReady(), "\(service.log)")
        let limits = try String(contentsOfFile: "/proc/\(service.identifier)/limits", encoding: .utf8)
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(whereSeparator: \.isWhitespace).suffix(3).prefix(2) == ["0", "0"])
        var status = stat()
        // Files of a process that cannot be dumped are root's.
        #expect(stat("/proc/\(service.identifier)/mem", &status) == 0 && status.st_uid == 0)
        let text = try String(contentsOfFile: "/proc/\(service.identifier)/status", encoding: .utf8)
        #expect(text.contains("NoNewPrivs:\t1"))
    }
}

/// Looks for bytes in all memory of another process that can be read.
private enum MemoryScan {
    static func count(of needles: [[UInt8]], in process: Int32) throws -> Int {
        let maps = try KernelFile.text("/proc/\(process)/maps")
        let memory = open("/proc/\(process)/mem", O_RDONLY)
        guard memory >= 0 else { throw POSIXError(.EACCES) }
        defer { close(memory) }
        var count = 0
        var bytesRead = 0
        for line in maps.split(separator: "\n") {
            let parts = line.split(separator: " ")
            let ends = parts[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2, parts[1].hasPrefix("r"), parts[1].dropFirst().hasPrefix("w") else { continue }
            var bytes = Data(count: Int(ends[1] - ends[0]))
            let got = bytes.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, off_t(ends[0])) }
            guard got > 0 else { continue }
            bytesRead += got
            for needle in needles { count += bytes.places(of: needle).count }
        }
        guard bytesRead > 1 << 20 else { throw POSIXError(.EIO) }
        return count
    }
}
