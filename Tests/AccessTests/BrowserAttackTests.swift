import BrowserTesting
import Foundation
import KeychainTestSupport
import Testing

/// What other pages of the owner's browser try. Each test has a control that shows that the attack would work elsewhere.
@Suite(.enabled(if: Browser.isInstalled, "needs Chromium, which scripts/setup.sh --tests installs"))
struct BrowserAttackTests {
    private let program: AccessProgram
    private let browser: Browser
    private let page: Page

    init() throws {
        program = try AccessProgram(items: [["add-generic-password", "-s", "mail", "-a", "ann", "-w", "canary"]])
        browser = try Browser.start()
        page = try browser.newPage()
        try page.open(program.address)
        try page.waitForText("Overview")
        try page.open(program.origin + "/")
    }

    /// Serves a page of an attacker's on another port of this machine, and notes what it is sent.
    private func attacker(_ html: String = "<title>attacker</title>") throws -> PlainServer {
        try PlainServer("<!doctype html><meta charset=utf-8>\(html)")
    }

    @Test func `a server on another port is sent no cookie of the pages`() throws {
        let server = try attacker()
        // A cookie for 127.0.0.1 is sent to each port: that is what is to be kept from happening.
        try page.setCookie("chatelaine", "of-another", url: "http://127.0.0.1:\(program.port)/", isHTTPOnly: true)
        let other = try browser.newPage()
        try other.open("http://127.0.0.1:\(server.port)/")
        try waitUntil("the server was asked") { server.requests.contains("GET / ") }
        #expect(server.requests.contains("chatelaine=of-another"))
        let cookie = try #require(try page.cookies().first { $0.domain == "\(program.host.split(separator: ":")[0])" })
        #expect(cookie.isHTTPOnly && cookie.sameSite == "Strict")
        for host in ["127.0.0.1", "localhost", "other.localhost"] {
            try other.open("http://\(host):\(server.port)/")
        }
        #expect(!server.requests.contains(cookie.value))
    }

    @Test func `another page can neither read the pages, nor send forms, nor frame them`() throws {
        let server = try attacker("<title>attacker</title><iframe name=target></iframe>")
        let other = try browser.newPage()
        try other.open("http://localhost:\(server.port)/")
        let origin = program.origin
        // Read.
        let read = "fetch('\(origin)/items', {credentials: 'include'}).then(r => r.text(), e => 'failed')"
        #expect(try other.evaluate(read).description == "failed")
        let blind =
            "fetch('\(origin)/items', {credentials: 'include', mode: 'no-cors'}).then(r => r.type, e => 'failed')"
        #expect(try ["opaque", "failed"].contains(other.evaluate(blind).description))
        // Send a form, which a browser does without asking anybody.
        let send = """
            (() => { const f = document.createElement('form'); f.method = 'post'; f.action = '\(origin)/close';
            f.target = 'target'; document.body.append(f); f.submit(); return true })()
            """
        try other.evaluate(send)
        // Frame, load as an image, as a script.
        let frame = """
            new Promise(done => { const i = document.createElement('iframe'); i.src = '\(origin)/items';
            i.onload = () => { let t = 'closed'; try { t = i.contentDocument ? 'open' : 'closed' } catch (e) {} done(t) };
            document.body.append(i) })
            """
        #expect(try other.evaluate(frame).description == "closed")
        let image = """
            new Promise(done => { const i = new Image(); i.src = '\(origin)/icons.svg'; i.onload = () => done('loaded');
            i.onerror = () => done('failed') })
            """
        #expect(try other.evaluate(image).description == "failed")
        // The pages are there still, and work for their owner.
        #expect(program.isRunning)
        try page.open(origin + "/items")
        #expect(try page.text.contains("ann"))
        // The control: the same form from the pages themselves closes them.
        try page.waitForNavigation { try page.click("form[action='/close'] button") }
        #expect(try program.waitForEnd() == 0)
    }

    @Test func `another browser is not let in, and cannot use the address again`() throws {
        let stranger = try browser.newPage(inContext: try browser.newContext())
        #expect(try stranger.open(program.origin + "/items").status == 403)
        #expect(try !stranger.html.contains("mail"))
        #expect(try stranger.open(program.address).status == 410)
        #expect(try program.waitForEnd() == 0)
    }

    @Test func `a link from elsewhere leads to no page, and one that is typed does`() throws {
        let server = try attacker("<a href='\(program.origin)/items'>items</a>")
        let other = try browser.newPage()
        try other.open("http://localhost:\(server.port)/")
        #expect(try other.waitForNavigation { try other.click("a") }.status == 403)
        #expect(try other.open(program.origin + "/items").status == 200)
    }
}
