import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Chromium, which encrypts its cookies with a key that it keeps in the Secret Service.
@Suite(
    .enabled(if: isThere("chromium"), "needs Chromium, which scripts/setup.sh --tests installs"),
    .timeLimit(.minutes(5))
)
struct BrowserTests {
    @Test func `the second start finds the first one's key, and a start without the key finds no cookie`() throws {
        let site = try SecretsSite(.session)
        // A desktop's other services are not wanted, and one of them mounts a file system.
        try site.neverStart("org.freedesktop.portal.Desktop", "org.freedesktop.portal.Documents", "org.a11y.Bus")
        let server = try CookieServer(site)
        #expect(try visit("first", site, server) == "None")
        let key = try site.lookup("application chromium")
        #expect(key.status == 0 && key.output.count == 24, "Chromium has stored no key")
        site.stop()
        try site.start()
        #expect(try visit("second", site, server) == "kept=yes")
        #expect(try site.lookup("application chromium").output == key.output)
        let items = try site.run("secret-tool search --all application chromium").output
        #expect(items.components(separatedBy: "label = Chromium Safe Storage").count == 2)
        // The control: it was this key that the cookie needed.
        #expect(try site.run("secret-tool clear application chromium").status == 0)
        #expect(try visit("third", site, server) == "None")
        #expect(try site.lookup("application chromium").output != key.output)
    }

    /// Opens a page that sets a cookie.
    ///
    /// - Returns: the cookie that the page was asked for with.
    private func visit(_ page: String, _ site: SecretsSite, _ server: CookieServer) throws -> String? {
        let outcome = try site.run(
            "chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
                + "--password-store=gnome-libsecret --user-data-dir=\(site.folder)/profile --virtual-time-budget=3000 "
                + "--dump-dom http://127.0.0.1:\(server.port)/\(page)",
            seconds: 120
        )
        #expect(outcome.output.contains("<p>hello"), "\(outcome.output)")
        return try server.cookie(of: "/" + page)
    }
}

/// A server of pages that set a cookie, which writes down what cookies come.
private final class CookieServer {
    private let log: String
    private(set) var port = 0

    init(_ site: SecretsSite) throws {
        try """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                print(self.path, self.headers.get('Cookie'), flush=True)
                self.send_response(200)
                self.send_header('Set-Cookie', 'kept=yes; Max-Age=100000; Path=/')
                self.send_header('Content-Type', 'text/html')
                self.end_headers()
                self.wfile.write(b'<p>hello')
            def log_message(self, *arguments): pass
        server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
        print('port', server.server_port, flush=True)
        server.serve_forever()
        """.write(toFile: site.folder + "/server.py", atomically: true, encoding: .utf8)
        log = try site.launch(["/usr/bin/python3", "server.py"]).log
        try waitUntil("the server listens") {
            guard let port = try self.cookie(of: "port").flatMap({ Int($0) }) else { return false }
            self.port = port
            return true
        }
    }

    func cookie(of page: String) throws -> String? {
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        return lines.first { $0.hasPrefix(page + " ") }.map { String($0.dropFirst(page.count + 1)) }
    }
}
