import CKeychainLinux
import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Programs of the user's own that do to the agent's socket what they like.
@Suite("Hostile clients of the ssh agent", .timeLimit(.minutes(5)))
struct HostileClientTests {
    private let site: AgentSite

    init() throws {
        site = try AgentSite(hasPasscode: false)
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "one"])
    }

    private final class Client {
        let descriptor: Int32

        init(_ path: String) throws {
            descriptor = clinux_stream_socket()
            try #require(clinux_connect_path(descriptor, path) == 0)
        }

        deinit { close(descriptor) }

        func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        /// What comes within some seconds; nil where the other end has closed.
        func receive(within seconds: Int32 = 20) -> [UInt8]? {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, seconds * 1_000) == 1 else { return [] }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? Array(bytes.prefix(count)) : nil
        }
    }

    /// Whether everybody else is served.
    private func isServing() throws -> Bool { try site.listed() == ["one"] }

    @Test(arguments: [
        [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x00, 0x04, 0x00, 0x01], [0x7F, 0xFF, 0xFF, 0xFF, 11],
    ])
    func `a length that cannot be is the end of the connection`(bytes: [UInt8]) throws {
        let client = try Client(site.socket)
        client.send(bytes)
        #expect(client.receive() == nil)
        #expect(try isServing())
    }

    @Test func `what the agent does not know is answered, and the connection goes on`() throws {
        let client = try Client(site.socket)
        for number in UInt8.min...UInt8.max where ![11, 19, 22, 23].contains(number) {
            client.send([0, 0, 0, 1, number])
            #expect(client.receive() == [0, 0, 0, 1, 5], "\(number)")
        }
        #expect(try isServing())
    }

    @Test func `requests in one piece are answered one after the other`() throws {
        let client = try Client(site.socket)
        client.send([UInt8](repeatElement([0, 0, 0, 1, 200] as [UInt8], count: 100).joined()))
        var answers: [UInt8] = []
        while answers.count < 500, let more = client.receive(), !more.isEmpty { answers += more }
        #expect(answers == [UInt8](repeatElement([0, 0, 0, 1, 5] as [UInt8], count: 100).joined()))
    }

    @Test func `a frame that never ends is the end of the connection after ten seconds`() throws {
        let client = try Client(site.socket)
        client.send([0, 0, 1, 0, 11])
        let start = Date()
        #expect(client.receive() == nil)
        #expect((9...15).contains(Date().timeIntervalSince(start)))
        #expect(try isServing())
    }

    @Test func `a client that never reads is left after ten seconds, and holds up nobody`() throws {
        let client = try Client(site.socket)
        let nonblocking = fcntl(client.descriptor, F_GETFL) | O_NONBLOCK
        _ = fcntl(client.descriptor, F_SETFL, nonblocking)
        let list: [UInt8] = [0, 0, 0, 1, 11]
        var idle = 0
        // Until both buffers are full.
        while idle < 50 {
            if Glibc.send(client.descriptor, list, list.count, Int32(MSG_NOSIGNAL)) == list.count {
                idle = 0
            } else {
                idle += 1
                usleep(10_000)
            }
        }
        #expect(try isServing())
        try waitUntil("the client was left", patience: 30) {
            var waiting = pollfd(fd: client.descriptor, events: 0, revents: 0)
            return poll(&waiting, 1, 0) == 1 && waiting.revents & Int16(POLLHUP) != 0
        }
        #expect(try isServing())
    }

    /// In a process of its own: Foundation loses sight of programs where it has more than 1,024 descriptors.
    private static let crowd = """
        import resource, socket, sys
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, most), most))
        clients = []
        for count in range(1000):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(20)
            client.connect(sys.argv[1])
            clients.append(client)
            if count % 100 == 99:
                client.sendall(bytes([0, 0, 0, 1, 200]))
                print(client.recv(100).hex())
        print(clients[0].recv(100).hex() or 'gave way')
        clients[-1].sendall(bytes([0, 0, 0, 1, 200]))
        print(clients[-1].recv(100).hex())
        """

    @Test func `a thousand connections at once are survived, and newcomers are served all the while`() throws {
        try site.write(Self.crowd, to: "crowd.py")
        let lines = try site.succeed("python3", ["crowd.py", site.socket]).split(separator: "\n")
        #expect(lines == [Substring](repeating: "0000000105", count: 10) + ["gave way", "0000000105"])
        #expect(try isServing())
    }

    @Test func `connections that are in the middle of a request do not give way, and newcomers are told so`() throws {
        // Each announces a frame and does not send it.
        let busy = try (0..<64).map { _ in try Client(site.socket) }
        for client in busy { client.send([0, 0, 1, 0]) }
        usleep(200_000)
        let newcomer = try Client(site.socket)
        #expect(newcomer.receive() == nil)
        // After ten seconds they are gone.
        try waitUntil("others are served again", patience: 30) { try isServing() }
    }

    @Test func `memory grows with what arrives, and not with what is announced`() throws {
        let before = site.residentMemory
        let clients = try (0..<60).map { _ in try Client(site.socket) }
        for client in clients { client.send([0, 4, 0, 0, 11]) }
        usleep(300_000)
        // 60 frames of 256 KiB would be 15 MiB; a thread has some of its own.
        #expect(site.residentMemory - before < 8 << 10, "\(site.residentMemory - before) KiB")
    }

    @Test func `bytes at random are survived`() throws {
        var random = Seeded()
        for _ in 0..<300 {
            let client = try Client(site.socket)
            let count = Int.random(in: 1...200, using: &random)
            let body =
                [UInt8([11, 13, 17, 18, 25, 27].randomElement(using: &random) ?? 13)]
                + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            client.send([0, 0, 0, UInt8(clamping: body.count)] + body)
            let answer = client.receive()
            #expect(answer?.count ?? 0 >= 5)
        }
        #expect(try isServing())
        #expect(site.isRunning)
    }
}
