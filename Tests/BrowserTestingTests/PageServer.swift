import Foundation
import Glibc

/// A web server for one test, which serves the pages that it is given on a port of its own.
///
/// `/never` is not answered; `/echo` shows the request's cookies; `/set/NAME/VALUE` sets one; `/away` leads to `/`; `/bare`
/// is a 404 without a text.
final class PageServer {
    private let process = Process()
    private let folder = FileManager.default.temporaryDirectory.path + "/pages-\(UUID().uuidString)"
    let url: String

    /// - Parameters:
    ///   - pages: HTML by name; "" is the first page.
    ///   - policy: a Content-Security-Policy for all.
    init(_ pages: [String: String], policy: String? = nil) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, body) in pages {
            let file = folder + "/" + (name.isEmpty ? "index.html" : name)
            try Data(body.utf8).write(to: URL(fileURLWithPath: file))
        }
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program, folder, policy ?? ""]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split(separator: "\n")[0]
        url = "http://127.0.0.1:\(port)/"
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static let program = """
        import http.server, os, sys, time
        os.chdir(sys.argv[1])
        class Handler(http.server.SimpleHTTPRequestHandler):
            def end_headers(self):
                if sys.argv[2]: self.send_header('Content-Security-Policy', sys.argv[2])
                super().end_headers()
            def answer(self, status, body=b'', headers={}):
                self.send_response(status)
                for item in headers.items(): self.send_header(*item)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                words = self.path.split('/')
                if self.path == '/never': time.sleep(600)
                elif self.path == '/bare': self.answer(404)
                elif self.path == '/away': self.answer(303, headers={'Location': '/'})
                elif self.path == '/echo':
                    self.answer(200, (self.headers['Cookie'] or 'none').encode(), {'Content-Type': 'text/plain'})
                elif words[1] == 'set':
                    self.answer(200, b'set', {'Set-Cookie': f'{words[2]}={words[3]}; Path=/; HttpOnly; SameSite=Strict'})
                else: super().do_GET()
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length'] or 0))
                self.answer(201 if body == b'body' and self.headers['X-Word'] == 'word' else 400)
            def log_message(self, *words): pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """
}

/// A page that axe has nothing against.
func page(_ body: String, head: String = "") -> String {
    """
    <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sample</title>
    <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">\(head)</head>
    <body><main><h1>Sample</h1>\(body)</main></body></html>
    """
}
