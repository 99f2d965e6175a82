import BrowserTesting
import Foundation
import Testing

@Suite(
    "A page",
    .enabled(if: Browser.isInstalled, "needs Chromium, which scripts/setup.sh --tests installs"),
    .serialized
)
struct PageTests {
    private let browser: Browser
    private let tab: Page

    init() throws {
        browser = try Browser.start()
        tab = try browser.newPage()
    }

    @Test func `a page says what it is`() throws {
        let server = try PageServer(["": page("<p>Hello</p>"), "other.html": page("Other")])
        let answer = try tab.open(server.url)
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "text/html")
        #expect(try tab.url == server.url)
        #expect(try tab.title == "Sample")
        #expect(try tab.text.contains("Hello"))
        #expect(try tab.html.contains("<p>Hello</p>"))
        try tab.waitForText("Hello")
        #expect(try tab.open(server.url + "nothing").status == 404)
        #expect(try tab.open(server.url + "bare").status == 404)
        #expect(try tab.open(server.url + "away").url == server.url)
        #expect(try tab.open(server.url + "#place").status == 0)
        try tab.evaluate("document.body.innerText = 'changed'")
        #expect(try tab.reload().status == 200)
        #expect(try tab.text.contains("Hello"))
        let next = try tab.waitForNavigation { try tab.evaluate("location.href = 'other.html'; 0") }
        #expect(next.url == server.url + "other.html")
    }

    @Test func `values come back as they are, and exceptions as errors`() throws {
        let value = try tab.evaluate("({a: [1, 2.5, true, false, null, 'x\\u0000\\u00e9'], b: {}})")
        #expect(value == ["a": [1, 2.5, true, false, nil, "x\u{0}\u{E9}"], "b": [:]])
        #expect(try tab.evaluate("Promise.resolve(7)") == 7)
        #expect(try tab.evaluate("undefined") == .null)
        #expect(try tab.evaluate("NaN") == "NaN")
        #expect(try tab.evaluate("'a\\ud800b\\ud83d\\ude00'") == "a\u{FFFD}b\u{1F600}")
        #expect(try tab.evaluate("'x'.repeat(3000000)").text?.count == 3_000_000)
        let failure = #expect(throws: BrowserFailure.self) { try tab.evaluate("nothing.here") }
        #expect("\(failure, default: "")".contains("ReferenceError"))
        #expect(throws: BrowserFailure.self) { try tab.evaluate("Promise.reject(new Error('no'))") }
    }

    @Test func `a page that never loads ends by the deadline`() throws {
        let server = try PageServer(["": page("<p>Before</p>"), "half.html": page("<img alt='x' src='/never'>")])
        try tab.open(server.url)
        for address in ["never", "half.html"] {
            let start = ContinuousClock.now
            let failure = #expect(throws: BrowserFailure.self) { try tab.open(server.url + address, within: 1) }
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect("\(failure, default: "")".contains("shows: Sample"))
        }
        let failure = #expect(throws: BrowserFailure.self) { try tab.waitForText("Elephant", within: 0.5) }
        #expect("\(failure, default: "")".contains("Elephant"))
        #expect("\(failure, default: "")".contains("shows: Sample"))
        let start = ContinuousClock.now
        #expect(throws: BrowserFailure.self) { try tab.evaluate("while (true) {}", within: 0.5) }
        #expect(throws: BrowserFailure.self) { try tab.evaluate("new Promise(() => {})", within: 0.5) }
        #expect(ContinuousClock.now - start < .seconds(4))
        #expect(throws: BrowserFailure.self) { try browser.newPage().open("http://127.0.0.1:1/") }
        for host in ["example.com", "192.0.2.1", "[2001:db8::1]"] {
            let failure = #expect(throws: BrowserFailure.self) { try browser.newPage().open("http://\(host)/") }
            #expect("\(failure, default: "")".contains("ERR_NAME_NOT_RESOLVED"), "\(failure?.description ?? "")")
        }
    }

    @Test func `pictures, sizes and preferences`() throws {
        try tab.open("data:text/html,<body style='margin:0;height:3000px'>tall")
        func size(_ picture: [UInt8]) -> [Int] {
            #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            return [16, 20].map { place in picture[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        }
        #expect(size(try tab.screenshot()) == [1280, 900])
        #expect(size(try tab.screenshot(isWhole: true)) == [1280, 3000])
        try tab.setViewport(width: 320, height: 640, scale: 2)
        #expect(size(try tab.screenshot()) == [640, 1280])
        #expect(try tab.evaluate("innerWidth") == 320)
        func matches(_ query: String) throws -> Bool { try tab.evaluate("matchMedia('(\(query))').matches").isTrue }
        #expect(try !matches("prefers-color-scheme: dark") && !matches("prefers-contrast: more"))
        try tab.setEmulatedMedia(colorScheme: "dark", reducedMotion: "reduce", contrast: "more")
        #expect(try matches("prefers-color-scheme: dark") && matches("prefers-reduced-motion: reduce"))
        #expect(try matches("prefers-contrast: more"))
        try tab.setEmulatedMedia()
        #expect(try !matches("prefers-color-scheme: dark") && !matches("prefers-contrast: more"))
    }

    @Test func `without JavaScript a page's own scripts do not run, and ours do`() throws {
        let body = "<p>none</p><noscript>instead</noscript><script>document.querySelector('p').innerText='run'</script>"
        let server = try PageServer(["": page(body)])
        try tab.disableJavaScript()
        try tab.open(server.url)
        #expect(try tab.evaluate("document.querySelector('p').innerText") == "none")
        try tab.waitForText("instead")
        #expect(try tab.tabStops() == [])
        try tab.disableJavaScript(false)
        try tab.reload()
        #expect(try tab.evaluate("document.querySelector('p').innerText") == "run")
    }

    @Test func `a violation of the policy is reported, and ours are none`() throws {
        let script = "<script>window.ran = 1</script><script src='http://localhost:1/x.js'></script>"
        let server = try PageServer(["": page(script)], policy: "default-src 'self'; img-src data:")
        try tab.open(server.url)
        try tab.evaluate("eval('1')")
        let violations = try tab.policyViolations
        #expect(violations.map(\.kind).sorted() == ["kInlineViolation", "kURLViolation"], "\(violations)")
        #expect(violations.allSatisfy { $0.directive == "script-src-elem" })
        #expect(try tab.evaluate("window.ran") == .null)
        let messages = try tab.consoleMessages
        #expect(messages.filter { $0.text.contains("Content Security Policy") }.count == 2, "\(messages)")
        #expect(try tab.requests.first { $0.url.contains("x.js") }?.blockedReason == "csp")
    }

    @Test func `requests, messages and dialogs are recorded`() throws {
        let script = """
            <script>console.log('said', 1, {a: 2}); fetch('/echo'); setTimeout(() => { throw new Error('oops') }, 0);
            window.agreed = confirm('Really?')</script><img alt="x" src="http://127.0.0.1:1/i.png">
            """
        let server = try PageServer(["": page(script)])
        try tab.open(server.url)
        try tab.waitUntil("the dialog was accepted", "window.agreed === true")
        #expect(tab.dialogs == ["Really?"])
        let messages = try tab.consoleMessages
        #expect(messages.contains { $0.source == "console" && $0.text.hasPrefix("said 1") }, "\(messages)")
        #expect(messages.contains { $0.source == "exception" && $0.text.contains("oops") }, "\(messages)")
        #expect(try tab.fetchStatus("POST", "/x", headers: ["X-Word": "word"], body: "body") == 201)
        #expect(try tab.fetchStatus("GET", "/nothing") == 404)
        #expect(throws: BrowserFailure.self) { try tab.fetchStatus("GET", "http://127.0.0.1:1/") }
        let requests = try tab.requests
        func request(_ path: String) throws -> PageRequest { try #require(requests.first { $0.url.hasSuffix(path) }) }
        #expect(try request("/").kind == "Document")
        #expect(try request("/").status == 200)
        #expect(try request("/echo").initiator == "script")
        #expect(try request("/i.png").initiator == "parser")
        #expect(try request("/i.png").failure == "net::ERR_UNSAFE_PORT")
        #expect(try request("/x").method == "POST")
        #expect(try request("/x").status == 201)
    }
}
