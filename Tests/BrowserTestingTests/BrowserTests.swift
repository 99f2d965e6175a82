import BrowserTesting
import Foundation
import Glibc
import Testing

@Suite(
    "A browser",
    .enabled(if: Browser.isInstalled, "needs Chromium, which scripts/setup.sh --tests installs"),
    .serialized
)
struct BrowserTests {
    private func processes(ofGroup group: Int32) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int32($0) != nil }.filter { entry in
            let status = (try? String(contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8)) ?? ""
            let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 2 && fields[0] != "Z" && Int32(fields[2]) == group
        }
    }

    private func processes(naming text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int32($0) != nil }.filter { entry in
            let words = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline") ?? Data()
            return String(decoding: words, as: UTF8.self).contains(text)
        }
    }

    /// What lies where Chromium puts things of its own accord. Other browsers may be at work in /tmp.
    @Test func `a browser leaves no process and no folder`() throws {
        for _ in 0..<5 {
            let browser = try Browser.start()
            let page = try browser.newPage()
            try page.open("data:text/html,hello")
            #expect(try page.text == "hello")
            #expect(try processes(ofGroup: browser.identifier).count > 1)
            #expect(try processes(naming: browser.folder).count > 1)
            let folder = browser.folder
            browser.close()
            #expect(try processes(ofGroup: browser.identifier) == [])
            #expect(try processes(naming: folder) == [])
            #expect(!FileManager.default.fileExists(atPath: folder))
            browser.close()
            let failure = #expect(throws: BrowserFailure.self) { try page.text }
            #expect("\(failure, default: "")".contains("the browser"))
        }
    }

    @Test func `a browser that nobody holds ends`() throws {
        var browser: Browser? = try Browser.start()
        let identifier = try #require(browser?.identifier)
        var page = try browser?.newPage()
        browser = nil
        #expect(try page?.evaluate("1") == 1)
        page = nil
        #expect(try processes(ofGroup: identifier) == [])
    }

    @Test func `two browsers know nothing of each other, and one that is killed says so`() throws {
        let (first, second) = (try Browser.start(), try Browser.start(isDark: true, width: 400, height: 300))
        let (page, other) = (try first.newPage(), try second.newPage())
        #expect(try page.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == [1280, 900, 1])
        #expect(try other.evaluate("[innerWidth, innerHeight]") == [400, 300])
        #expect(try other.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == true)
        #expect(try page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == false)
        kill(first.identifier, SIGKILL)
        #expect(throws: BrowserFailure.self) { try page.waitUntil("it is back", "true") }
        #expect(try other.evaluate("1 + 1") == 2)
    }

    @Test func `a program that is no browser is an error`() {
        let failure = #expect(throws: BrowserFailure.self) { try Browser.start(arguments: ["--version"]) }
        #expect("\(failure, default: "")".contains("Chromium 1"))
    }

    @Test func `two contexts have different cookies`() throws {
        let server = try PageServer(["": page("")])
        let browser = try Browser.start()
        let alice = try browser.newPage(inContext: browser.newContext())
        let bob = try browser.newPage(inContext: browser.newContext())
        let answer = try alice.open(server.url + "set/who/alice")
        #expect(answer.headers["set-cookie"]?.contains("who=alice; Path=/; HttpOnly") == true)
        try bob.setCookie("who", "bob", url: server.url)
        for (page, who) in [(alice, "who=alice"), (bob, "who=bob"), (try browser.newPage(), "none")] {
            try page.open(server.url + "echo")
            let text = try page.text
            #expect(text == who, "\(page.state)")
        }
        let cookie = try #require(try alice.cookies().first)
        #expect(cookie.name == "who" && cookie.value == "alice" && cookie.isHTTPOnly && cookie.sameSite == "Strict")
        try alice.clearCookies()
        #expect(try alice.cookies() == [])
        #expect(try bob.cookies().count == 1)
    }

    @Test func `pages on several threads do not keep each other waiting`() throws {
        let browser = try Browser.start()
        let pages = try (0..<3).map { _ in try browser.newPage() }
        do {
            DispatchQueue.concurrentPerform(iterations: 3) { place in
                for number in 0..<100 {
                    let value = try? pages[place].evaluate("\(number * 1000 + place)").int
                    #expect(value == number * 1000 + place)
                }
            }
        }
    }
}
