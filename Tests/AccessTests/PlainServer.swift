import Foundation
import KeychainTestSupport
import Testing

/// A server of somebody else's on a port of this machine, which notes what it is sent.
final class PlainServer {
    private let process = Process()
    private let folder: String
    private(set) var port: UInt16 = 0

    private static let script = """
        import http.server, sys
        page = open(sys.argv[1], 'rb').read()
        log = open(sys.argv[2], 'a', buffering=1)
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                log.write(self.requestline + '\\n' + str(self.headers) + '\\n')
                self.send_response(200)
                self.send_header('Content-Type', 'text/html')
                self.end_headers()
                self.wfile.write(page)
            do_POST = do_GET
            def log_message(self, *a): pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        log.write('port %d\\n' % server.server_address[1])
        server.serve_forever()
        """

    init(_ page: String) throws {
        folder = FileManager.default.temporaryDirectory.path + "/server-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(page.utf8).write(to: URL(filePath: folder + "/page"))
        try Data().write(to: URL(filePath: folder + "/log"))
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script, folder + "/page", folder + "/log"]
        try process.runHearingSignals()
        try waitUntil("the server has a port") { requests.hasPrefix("port ") && requests.contains("\n") }
        port = try #require(requests.split(separator: "\n").first.flatMap { UInt16($0.dropFirst(5)) })
    }

    deinit {
        process.terminate()
        process.waitForExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// All requests, with their headers.
    var requests: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }
}
