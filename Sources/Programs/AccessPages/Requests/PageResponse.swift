/// What a request is answered with.
package struct PageResponse: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// Whether the program ends once this was sent.
    package var endsProgram = false

    /// What pages may do and load, and that nobody keeps or frames them. They have no script and no style in them.
    package static let protection: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Embedder-Policy", "require-corp"),
        ("Permissions-Policy", "clipboard-read=(), clipboard-write=(), camera=(), microphone=(), geolocation=()"),
    ]

    private init(_ status: Int, type: String, _ body: [UInt8]) {
        self.status = status
        self.body = body
        headers = Self.protection + [("Content-Type", type)]
    }

    package static func page(_ html: String, status: Int = 200) -> PageResponse {
        PageResponse(status, type: "text/html; charset=utf-8", Array(html.utf8))
    }

    package static func file(_ bytes: [UInt8], type: String) -> PageResponse {
        PageResponse(200, type: type, bytes)
    }

    /// Has the browser ask for another page. It forgets the form that it has sent.
    package static func redirect(to path: String) -> PageResponse {
        var response = PageResponse(303, type: "text/plain; charset=utf-8", [])
        response.headers.append(("Location", path))
        return response
    }
}
