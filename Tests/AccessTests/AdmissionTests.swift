import AccessPages
import Testing

/// Who reaches the pages. Each attack has beside it the same request without what makes it one.
struct AdmissionTests {
    private let site: PagesSite
    private let cookie: String

    init() throws {
        site = try PagesSite()
        cookie = try site.open()
    }

    private func status(_ method: PageRequest.Method, _ path: String, _ adjust: (inout PageRequest) throws -> Void)
        throws
        -> Int
    {
        var request = PagesSite.request(method, path, cookie: cookie)
        if method == .post { request.form = try site.form([("token", try site.token(cookie))]) }
        try adjust(&request)
        return site.pages.answer(request).status
    }

    @Test func `the cookie alone opens the pages`() throws {
        #expect(try status(.get, "/items") { _ in } == 200)
        #expect(try status(.get, "/items") { $0.cookieHeaders = [] } == 403)
        #expect(try status(.get, "/items") { $0.cookieHeaders = ["chatelaine="] } == 403)
        #expect(try status(.get, "/items") { $0.cookieHeaders = [cookie.dropLast() + "x"] } == 403)
        #expect(try status(.get, "/items") { $0.cookieHeaders = ["a=b; \(cookie)", "c=d"] } == 200)
        #expect(try status(.post, "/close") { $0.cookieHeaders = [] } == 403)
    }

    @Test(arguments: [
        "attacker.example:4000", "127.0.0.1:4000", "localhost:4000", "0123.localhost", "0123.localhost:4001", "",
    ])
    func `a name that leads here and is not ours is refused, also where the origin is equal`(_ host: String) throws {
        for path in ["/items", "/style.css"] {
            #expect(try status(.get, path) { $0.host = host } == 421)
        }
        let rebound = try status(.post, "/lock") {
            $0.host = host
            $0.origin = "http://" + host
        }
        #expect(rebound == 421)
        #expect(try status(.get, "/items") { $0.host = PagesSite.host } == 200)
    }

    @Test(arguments: ["cross-site", "same-site"])
    func `what another page of the browser sends is refused`(_ site: String) throws {
        #expect(try status(.get, "/items") { $0.fetchSite = site } == 403)
        #expect(try status(.get, "/style.css") { $0.fetchSite = site } == 403)
        #expect(try status(.post, "/items/delete") { $0.fetchSite = site } == 403)
        #expect(try status(.get, "/items") { $0.fetchSite = "same-origin" } == 200)
        #expect(try status(.get, "/items") { $0.fetchSite = "none" } == 200)
    }

    @Test(arguments: [nil, "null", "http://attacker.example", "http://127.0.0.1:4000", "https://0123.localhost:4000"])
    func `a form from anywhere else is refused`(_ origin: String?) throws {
        #expect(try status(.post, "/items/delete") { $0.origin = origin } == 403)
        #expect(try status(.post, "/items/delete") { $0.origin = "http://" + PagesSite.host } == 303)
    }

    @Test func `a browser without fetch metadata is judged by origin and cookie`() throws {
        #expect(try status(.get, "/items") { ($0.fetchSite, $0.fetchMode) = (nil, nil) } == 200)
        #expect(try status(.post, "/items/delete") { ($0.fetchSite, $0.fetchMode) = (nil, nil) } == 303)
        #expect(try status(.post, "/items/delete") { ($0.fetchSite, $0.origin) = (nil, nil) } == 403)
    }

    @Test func `a form needs the token of the pages, once`() throws {
        let token = try site.token(cookie)
        for fields in [
            [], [("token", "")], [("token", String(token.dropLast()))], [("token", token), ("token", token)],
        ] {
            #expect(try status(.post, "/items/delete") { $0.form = try site.form(fields) } == 403)
        }
        #expect(try status(.post, "/items/delete") { $0.form = try site.form([("token", token)]) } == 303)
        // In the address it is no form's.
        let inAddress = try status(.post, "/items/delete") {
            $0.query = $0.form
            $0.form = FormFields()
        }
        #expect(inAddress == 403)
    }

    @Test func `other methods are refused`() throws {
        #expect(try status(.other, "/items") { _ in } == 405)
    }

    @Test func `each page forbids scripts and frames of others, and to be kept`() throws {
        for path in ["/", "/items", "/items/new", "/nothing", "/style.css", "/app.js", "/icons.svg"] {
            let response = site.get(path, cookie)
            #expect(response.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
            #expect(response.header("Content-Security-Policy")?.contains("unsafe") == false)
            #expect(response.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
            #expect(response.header("Cache-Control") == "no-store")
            #expect(response.header("X-Content-Type-Options") == "nosniff")
            #expect(response.header("Access-Control-Allow-Origin") == nil)
        }
    }
}

/// The address that opens the pages, and how their session ends.
struct SessionTests {
    @Test func `the cookie is strict, not for scripts, and for this name alone`() throws {
        let site = try PagesSite()
        let cookie = try #require(site.pages.answer(site.opening).header("Set-Cookie"))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        #expect(!cookie.contains("Domain"))
    }

    @Test func `who uses the address a second time ends the session for both`() throws {
        let site = try PagesSite()
        let cookie = try site.open()
        #expect(site.get("/items", cookie).status == 200)
        let second = site.pages.answer(site.opening)
        #expect(second.status == 410)
        #expect(second.header("Set-Cookie") == nil)
        #expect(second.endsProgram)
        #expect(site.get("/items", cookie).status == 403)
        #expect(site.pages.end == .addressUsedTwice)
    }

    @Test func `a wrong address opens nothing and ends nothing`() throws {
        let site = try PagesSite()
        for path in ["/open/", "/open/00", "/open/" + String(repeating: "0", count: 64), site.opening.path + "0"] {
            #expect(site.pages.answer(PagesSite.request(.get, path)).status == 403)
        }
        _ = try site.open()
    }

    @Test func `no page opens the address unseen, and no browser ahead of a click`() throws {
        let site = try PagesSite()
        var request = site.opening
        for mode in ["no-cors", "cors", "websocket"] {
            request.fetchMode = mode
            #expect(site.pages.answer(request).status == 403)
        }
        request = site.opening
        request.purpose = "prefetch"
        #expect(site.pages.answer(request).status == 403)
        request = site.opening
        request.host = "attacker.example"
        #expect(site.pages.answer(request).status == 421)
        // A link anywhere may lead to it.
        request = site.opening
        request.fetchSite = "cross-site"
        #expect(site.pages.answer(request).status == 200)
    }

    @Test func `a session that nobody uses ends, and one that is used does not`() throws {
        let site = try PagesSite(idleTime: .seconds(600))
        let cookie = try site.open()
        for _ in 0..<3 {
            site.time.pass(.seconds(599))
            #expect(site.get("/items", cookie).status == 200)
        }
        // Requests without the cookie do not keep it open.
        site.time.pass(.seconds(400))
        #expect(site.get("/items", "chatelaine=0").status == 403)
        #expect(site.get("/style.css", "").status == 200)
        site.time.pass(.seconds(200))
        #expect(site.get("/items", cookie).status == 403)
        #expect(site.pages.end == .idle)
    }

    @Test func `an address that nobody opens in time opens nothing`() throws {
        let site = try PagesSite(idleTime: .seconds(600))
        site.time.pass(.seconds(600))
        #expect(site.pages.answer(site.opening).status == 410)
    }

    @Test func `closing ends the session at once`() throws {
        let site = try PagesSite()
        let cookie = try site.open()
        let closed = try site.post("/close", cookie)
        #expect(closed.status == 200)
        #expect(closed.endsProgram)
        #expect(site.get("/items", cookie).status == 403)
    }
}
