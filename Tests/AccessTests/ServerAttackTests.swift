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
        var lines = 0
        while lines < 50_000, client.send(line) { lines += 1 }
        #expect(lines < 50_000)
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
            ["--idle", "0"], ["--port", "70000"], ["--socket", "/tmp/x"], ["--host", "localhost:1"], ["--nothing"],
            ["--socket", "/tmp/x", "--host", "a b:1"], ["--socket", "/tmp/x", "--host", "name"], ["word"],
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

    @Test func `a socket is its user's alone, and serves the name that was given`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/access-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let socket = folder + "/access.sock"
        let program = try AccessProgram(arguments: ["--socket", socket, "--host", "localhost:8000"])
        #expect(program.origin == "http://localhost:8000")
        var status = stat()
        try #require(stat(socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        program.signal(SIGTERM)
        #expect(try program.waitForEnd() == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
    }
}
