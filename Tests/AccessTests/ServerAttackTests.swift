import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// What programs of this machine send to the port of the pages.
struct ServerAttackTests {
    private let program: AccessProgram

    init() throws {
        program = try AccessProgram(items: [["add-generic-password", "-s", "mail", "-a", "ann", "-w", "canary"]])
    }

    /// The cookie of the session, which this test's own user opens.
    private func open() throws -> String {
        let client = try RawClient(port: program.port)
        client.send(
            "GET \(program.address.dropFirst(program.origin.count)) HTTP/1.1\r\nHost: \(program.host)\r\nConnection: close\r\n\r\n"
        )
        let answer = try #require(client.receiveAll())
        let match = try #require(answer.firstMatch(of: #/(?i)set-cookie: (chatelaine=[0-9a-f]+)/#))
        return String(match.1)
    }

    /// What a shell of another user gets from the port.
    private func answer(asUser uid: UInt32, _ request: String) throws -> FinishedProgram {
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(program.port) && printf '%b' \"$1\" >&3 && cat <&3"
        return try FinishedProgram(
            ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "bash", "-c", script, "-", request],
            in: FileManager.default.temporaryDirectory.path,
            environment: ["PATH": "/usr/bin:/bin"],
            seconds: 20
        )
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to be another user"))
    func `another user of the machine gets not one byte, not even with the cookie`() throws {
        let cookie = try open()
        let request =
            "GET /items HTTP/1.1\\r\\nHost: \(program.host)\\r\\nCookie: \(cookie)\\r\\nConnection: close\\r\\n\\r\\n"
        #expect(try answer(asUser: 65_534, request).output.isEmpty)
        #expect(try answer(asUser: 1, request).output.isEmpty)
        #expect(try answer(asUser: geteuid(), request).output.contains("mail"))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to be another user"))
    func `another user who connects, sends and is gone uses up nothing`() throws {
        let path = program.address.dropFirst(program.origin.count)
        let script = """
            import socket, sys
            for _ in range(20):
                s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
                try: s.sendall(sys.argv[2].encode())
                except OSError: pass
                s.close()
            print('done')
            """
        let request = "GET \(path) HTTP/1.1\r\nHost: \(program.host)\r\n\r\n"
        let words = [
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c", script, "\(program.port)",
            request,
        ]
        // It looks at all of them after they have gone.
        program.signal(SIGSTOP)
        let finished = try FinishedProgram(words, in: "/tmp", environment: ["PATH": "/usr/bin:/bin"])
        program.signal(SIGCONT)
        #expect(finished.output == "done\n", "\(finished.errors)")
        // The owner's is the first use.
        #expect(try open().hasPrefix("chatelaine="))
        #expect(program.isRunning)
    }

    @Test(
        .enabled(if: geteuid() == 0, "needs root, to be another user"),
        arguments: ["::1", "::", "127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1"]
    )
    func `nobody else can listen where browsers look for the pages`(_ address: String) throws {
        let script = """
            import socket, sys
            family = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET
            s = socket.socket(family)
            for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT): s.setsockopt(socket.SOL_SOCKET, option, 1)
            try:
                s.bind((sys.argv[1], int(sys.argv[2])))
                s.listen()
                print('listens')
            except OSError as error: print(error.errno)
            """
        func listen(_ port: UInt16) throws -> String {
            let words = [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c", script, address,
                "\(port)",
            ]
            return try FinishedProgram(words, in: "/tmp", environment: ["PATH": "/usr/bin:/bin"]).output
        }
        #expect(try listen(0) == "listens\n")
        #expect(try listen(program.port) == "\(EADDRINUSE)\n")
    }

    @Test func `a program of the same user needs the address or the cookie`() throws {
        #expect(try RawClient.status(program, "/") == 403)
        #expect(
            try RawClient.status(program, "/items", ["Cookie: chatelaine=\(String(repeating: "0", count: 64))"]) == 403
        )
        let cookie = try open()
        #expect(try RawClient.status(program, "/items", ["Cookie: \(cookie)"]) == 200)
        #expect(try RawClient.status(program, "/items", ["Cookie: \(cookie)"], method: "PUT") == 405)
    }

    @Test func `a stolen address that is used a second time ends the program`() throws {
        let cookie = try open()
        #expect(try RawClient.status(program, String(program.address.dropFirst(program.origin.count))) == 410)
        #expect(try program.waitForEnd() == 0)
        #expect(!cookie.isEmpty)
    }

    @Test func `a huge form is not read to its end, and takes no memory`() throws {
        let cookie = try open()
        _ = try RawClient.status(program, "/items", ["Cookie: \(cookie)"])
        let before = program.residentMemory
        let client = try RawClient(port: program.port)
        let size = 64 << 20
        client.send(
            "POST /items/new HTTP/1.1\r\nHost: \(program.host)\r\nCookie: \(cookie)\r\nOrigin: \(program.origin)\r\n"
                + "Content-Length: \(size)\r\n\r\n"
        )
        let part = String(repeating: "a=1&", count: 16_384)
        var sent = 0
        while sent < size, client.send(part) { sent += part.utf8.count }
        #expect(sent < size)
        #expect(program.residentMemory - before < 16 * 1_024)
        #expect(try RawClient.status(program, "/items", ["Cookie: \(cookie)"]) == 200)
    }

    @Test func `headers without end are cut off`() throws {
        let client = try RawClient(port: program.port)
        client.send("GET / HTTP/1.1\r\nHost: \(program.host)\r\n")
        let line = "X-Header: \(String(repeating: "a", count: 1_000))\r\n"
        // Its limit is ten seconds without an error, and less with one.
        let end = ContinuousClock.now + .seconds(40)
        var isCut = false
        while !isCut, ContinuousClock.now < end { isCut = !client.send(line) && errno != EAGAIN }
        #expect(isCut)
        #expect(try RawClient.status(program, "/style.css") == 200)
    }

    @Test func `clients that send slowly, or nothing, lose their places to others`() throws {
        let cookie = try open()
        let clients = try (0..<48).map { _ in try RawClient(port: program.port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: ") }
        // All places are taken. Each of these sends a byte a second, which keeps no place either.
        let end = ContinuousClock.now + .seconds(12)
        while ContinuousClock.now < end {
            for client in clients { client.send("x") }
            usleep(500_000)
        }
        #expect(try RawClient.status(program, "/items", ["Cookie: \(cookie)"]) == 200)
    }

    @Test func `it ends when it is told to, also while the owner is asked`() throws {
        let guarded = try AccessProgram(
            hasPasscode: true,
            items: [["add-generic-password", "-s", "mail", "-a", "ann", "-w", "canary"]]
        )
        let browser = ServerAttackTests(guarded)
        let cookie = try browser.open()
        let page = try browser.page("/items", cookie)
        let token = try #require(page.firstMatch(of: #/name="token" value="([0-9a-f]+)"/#)?.1)
        let item = try #require(page.firstMatch(of: #/href="(\/item\/[^"]+)"/#)?.1)
        let client = try RawClient(port: guarded.port)
        let form = "token=\(token)"
        client.send(
            "POST \(item)/reveal HTTP/1.1\r\nHost: \(guarded.host)\r\nCookie: \(cookie)\r\nOrigin: \(guarded.origin)\r\n"
                + "Content-Length: \(form.utf8.count)\r\n\r\n\(form)"
        )
        try waitUntil("the owner is asked") { guarded.person.dialogs > 0 || guarded.person.shown.contains("SETDESC") }
        guarded.signal(SIGTERM)
        #expect(try guarded.waitForEnd() == 0)
        #expect(client.receiveAll()?.contains("canary") == false)
    }

    private init(_ program: AccessProgram) { self.program = program }

    private func page(_ path: String, _ cookie: String) throws -> String {
        let client = try RawClient(port: program.port)
        client.send("GET \(path) HTTP/1.1\r\nHost: \(program.host)\r\nCookie: \(cookie)\r\nConnection: close\r\n\r\n")
        return try #require(client.receiveAll())
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `it ends when it is told to, and says nothing`(_ signal: Int32) throws {
        program.signal(signal)
        #expect(try program.waitForEnd() == 0)
        #expect(program.log.isEmpty)
    }
}

/// Command lines.
struct AccessCommandTests {
    @Test(
        arguments: [
            ["--idle", "0"], ["--port", "70000"], ["--socket", "/tmp/x"], ["--browser-port", "80"], ["--nothing"],
            ["--socket", "/tmp/x", "--browser-port", "0"],
            ["--socket", "/tmp/x", "--browser-port", "80", "--port", "1"],
            ["word"],
        ]
    )
    func `a bad command line is refused with 2`(_ arguments: [String]) throws {
        let finished = try FinishedProgram(
            [ServiceProcess.program("chatelaine-access")] + arguments,
            in: FileManager.default.temporaryDirectory.path,
            environment: ["CHATELAINE_KEYCHAIN": "embedded:/nonexistent/keychain", "PATH": "/usr/bin:/bin"],
            seconds: 20
        )
        #expect(finished.status == 2)
        #expect(finished.output.isEmpty && !finished.errors.isEmpty)
    }

    @Test func `a socket is its user's alone, and the address has the port that was given`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/access-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let socket = folder + "/access.sock"
        let program = try AccessProgram(arguments: ["--socket", socket, "--browser-port", "8000"])
        #expect(program.host.hasSuffix(".localhost:8000"))
        var status = stat()
        try #require(stat(socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        // Its user is answered. Others are not, even if they may connect.
        chmod(folder, 0o755)
        chmod(socket, 0o666)
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(20)
            s.connect(sys.argv[1])
            s.sendall(b'GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
            try: print(s.recv(12))
            except OSError: print(b'')
            """
        let words = ["python3", "-c", script, socket]
        #expect(
            try FinishedProgram(words, in: "/", environment: ["PATH": "/usr/bin:/bin"]).output == "b'HTTP/1.1 421'\n"
        )
        if geteuid() == 0 {
            let asOther = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + words
            #expect(
                try FinishedProgram(asOther, in: "/", environment: ["PATH": "/usr/bin:/bin"]).output.contains("HTTP")
                    == false
            )
        }
        program.signal(SIGTERM)
        #expect(try program.waitForEnd() == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
    }
}
