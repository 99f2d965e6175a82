import Foundation
import KeychainTestSupport

/// A server of the machine's own that wants a name and a password: git's repositories, a registry of docker's, one of
/// cargo's, an index of Python packages, and the interfaces of AWS and Kubernetes.
final class CredentialServer {
    static let username = "alice"
    static let password = "correct horse/battery+staple"
    static let token = "t0ken-of-the-registry"

    let port: Int
    private let process = Process()
    private let folder: String

    /// - Parameters:
    ///   - folder: where the repositories are, and the log.
    ///   - certificate: a file with a certificate and its key, where the server speaks TLS.
    init(in folder: String, certificate: String = "") throws {
        self.folder = folder
        try Data(Self.script.utf8).write(to: URL(filePath: folder + "/server.py"))
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "server.py", Self.username, Self.password, Self.token, certificate]
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
        var found: Int?
        for _ in 0..<3_000 where found == nil {
            found = (try? String(contentsOfFile: folder + "/port", encoding: .utf8)).flatMap { Int($0) }
            usleep(10_000)
        }
        guard let found else { throw POSIXError(.ETIMEDOUT) }
        port = found
    }

    deinit {
        process.terminate()
        process.waitForExit()
    }

    /// A line a request: its method, its path, and what it was authorised by.
    var log: String { (try? String(contentsOfFile: folder + "/server.log", encoding: .utf8)) ?? "" }

    private static let script = #"""
        import base64, hashlib, http.server, io, json, os, ssl, subprocess, sys, zipfile

        USER, PASSWORD, TOKEN, CERTIFICATE = sys.argv[1:]
        BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


        def wheel():
            data = io.BytesIO()
            with zipfile.ZipFile(data, "w") as archive:
                info = "sample-1.0.dist-info/"
                archive.writestr("sample.py", "value = 1\n")
                archive.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: sample\nVersion: 1.0\n")
                archive.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
                archive.writestr(info + "RECORD", "")
            return data.getvalue()


        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def log_message(self, *arguments):
                with open("server.log", "a") as log:
                    log.write(f"{getattr(self, 'command', '')} {getattr(self, 'path', '')} {self.authorization()}\n")

            def authorization(self):
                return self.headers.get("Authorization") if hasattr(self, "headers") else None

            def answer(self, status, body=b"", kind="application/json", headers=()):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                given = self.headers.get("Authorization")
                if self.path.startswith("/index/") or self.path.startswith("/cargo/"):
                    if self.path == "/index/config.json":
                        port = self.server.server_port
                        body = {"dl": f"http://127.0.0.1:{port}/cargo/dl", "api": f"http://127.0.0.1:{port}/cargo"}
                        return self.answer(200, json.dumps(body).encode())
                    if given != TOKEN:
                        return self.answer(403, b'{"errors":[{"detail":"no token"}]}')
                    return self.answer(200, b'{"ok":true,"users":[{"id":1,"login":"alice","name":"Alice"}]}')
                if self.command == "POST" and self.path == "/":
                    if "Credential=AKIAEXAMPLE/" not in (given or ""):
                        return self.answer(403, b"<ErrorResponse/>", "text/xml")
                    body = "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::1:user/alice</Arn>"
                    body += "</GetCallerIdentityResult></GetCallerIdentityResponse>"
                    return self.answer(200, body.encode(), "text/xml")
                if self.path.startswith("/api"):
                    if given != "Bearer " + TOKEN:
                        return self.answer(401, b'{"kind":"Status","status":"Failure","code":401}')
                    return self.answer(200, b'{"kind":"APIVersions","versions":["v1"]}')
                if given != BASIC:
                    return self.answer(401, b"", headers=[("WWW-Authenticate", 'Basic realm="test"')])
                if self.path.startswith("/v2/"):
                    manifest = b'{"schemaVersion":2,"mediaType":"application/vnd.docker.distribution.manifest.v2+json"}'
                    kind = "application/vnd.docker.distribution.manifest.v2+json"
                    digest = "sha256:" + hashlib.sha256(manifest).hexdigest()
                    return self.answer(200, manifest, kind, [("Docker-Content-Digest", digest)])
                if self.path == "/simple/sample/":
                    return self.answer(200, b'<a href="/files/sample-1.0-py3-none-any.whl">sample-1.0-py3-none-any.whl</a>', "text/html")
                if self.path.startswith("/files/"):
                    return self.answer(200, wheel(), "application/zip")
                if self.path.startswith("/git/"):
                    return self.git()
                self.answer(404)

            do_POST = do_HEAD = do_PUT = do_DELETE = do_GET

            def git(self):
                path, _, query = self.path.removeprefix("/git").partition("?")
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                environment = dict(
                    os.environ, GIT_PROJECT_ROOT=os.getcwd() + "/repositories", GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path,
                    QUERY_STRING=query, REQUEST_METHOD=self.command, REMOTE_USER=USER,
                    CONTENT_TYPE=self.headers.get("Content-Type") or "", CONTENT_LENGTH=str(len(body)),
                )
                answer = subprocess.run(["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE).stdout
                head, _, content = answer.partition(b"\r\n\r\n")
                fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
                status = int(fields.pop("Status", "200").split()[0])
                self.answer(status, content, fields.pop("Content-Type", "text/plain"), list(fields.items()))


        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if CERTIFICATE:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        with open("port.new", "w") as file:
            file.write(str(server.server_port))
        os.rename("port.new", "port")
        server.serve_forever()
        """#
}
