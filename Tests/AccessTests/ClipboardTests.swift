import AccessPages
import Foundation
import KeychainModel
import KeychainSystem
import KeychainTestSupport
import Testing

/// Secrets in the clipboard of real displays, pasted by other programs.
@Suite(.serialized)
struct ClipboardTests {
    private static let secret = "pässword 🔑 – not long"

    private func clipboard(_ display: TestDisplay, _ lifetime: Duration = .seconds(60)) throws -> SecretClipboard {
        try #require(SecretClipboard(environment: display.environment, lifetime: lifetime, patience: .seconds(60)))
    }

    @Test(arguments: TestDisplay.Kind.allCases)
    func `a secret is pasted as text, and marked as one`(kind: TestDisplay.Kind) throws {
        let display = try TestDisplay(kind)
        let clipboard = try clipboard(display)
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        for type in ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"] {
            #expect(try display.paste(type) == Self.secret, "\(type)")
        }
        #expect(try display.paste("x-kde-passwordManagerHint") == "secret")
        let types = try display.types()
        #expect(types.contains("x-kde-passwordManagerHint") && types.contains("UTF8_STRING"))
        #expect(try display.paste("image/png") == nil)
        clipboard.clear()
    }

    @Test(arguments: TestDisplay.Kind.allCases)
    func `it leaves the clipboard when its time is over`(kind: TestDisplay.Kind) throws {
        let display = try TestDisplay(kind)
        let clipboard = try clipboard(display, .milliseconds(300))
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        try waitUntil("the clipboard is empty") { try (display.paste() ?? "").isEmpty }
        // An empty text is there, which a desktop keeps when its program leaves.
        #expect(try display.types().contains("UTF8_STRING"))
        clipboard.clear()
    }

    @Test(arguments: TestDisplay.Kind.allCases)
    func `it leaves at once when it is cleared, with a desktop's copy of it`(kind: TestDisplay.Kind) throws {
        let display = try TestDisplay(kind)
        let clipboard = try clipboard(display)
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        #expect(try display.paste() == Self.secret)
        clipboard.clear()
        #expect(try (display.paste() ?? "").isEmpty)
        clipboard.clear()
    }

    @Test(arguments: TestDisplay.Kind.allCases)
    func `what somebody else copies stays, also when the time is over`(kind: TestDisplay.Kind) throws {
        let display = try TestDisplay(kind)
        let clipboard = try clipboard(display, .milliseconds(800))
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        try display.copy("mine")
        #expect(try display.paste() == "mine")
        usleep(1_000_000)
        #expect(try display.paste() == "mine")
        clipboard.clear()
        #expect(try display.paste() == "mine")
    }

    @Test(arguments: TestDisplay.Kind.allCases)
    func `the next secret takes the place of the one before, and has its own time`(kind: TestDisplay.Kind) throws {
        let display = try TestDisplay(kind)
        try display.copy("before")
        let clipboard = try clipboard(display, .milliseconds(1_500))
        try clipboard.copy(SecretBytes("first".utf8))
        usleep(900_000)
        try clipboard.copy(SecretBytes("second".utf8))
        // The first one's time is over, and has taken nothing away.
        usleep(900_000)
        #expect(try display.paste() == "second")
        try waitUntil("the clipboard is empty") { try (display.paste() ?? "").isEmpty }
        clipboard.clear()
    }

    @Test(arguments: TestDisplay.Kind.allCases)
    func `the longest secret arrives whole, and a longer one is refused`(kind: TestDisplay.Kind) throws {
        let display = try TestDisplay(kind)
        let clipboard = try clipboard(display)
        let longest = String(repeating: "0123456789abcdef", count: SecretClipboard.longest / 16)
        try clipboard.copy(SecretBytes(longest.utf8))
        #expect(try display.paste() == longest)
        #expect(throws: SecretClipboard.Failure.tooLong) { try clipboard.copy(SecretBytes((longest + "!").utf8)) }
        #expect(try display.paste() == longest)
        clipboard.clear()
    }

    @Test(arguments: TestDisplay.Kind.allCases)
    func `a display that is gone says so at once, and takes nothing with it`(kind: TestDisplay.Kind) throws {
        let display = try TestDisplay(kind)
        let clipboard = try clipboard(display)
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        display.end()
        #expect(throws: SecretClipboard.Failure.unreachable) { try clipboard.copy(SecretBytes(Self.secret.utf8)) }
        clipboard.clear()
    }

    @Test func `without a display there is no clipboard, and no button`() throws {
        #expect(SecretClipboard(environment: [:]) == nil)
        #expect(SecretClipboard(environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""]) == nil)
        let site = try PagesSite()
        let (reference, cookie) = try added(to: site)
        #expect(!site.get(reference.path, cookie).text.contains("#copy"))
        #expect(try site.post("\(reference.path)/copy", cookie).status == 404)
        #expect(try site.post("\(reference.path)/copy", cookie, [("value", "x")]).status == 404)
        #expect(try site.post("/passwords/copy", cookie, [("value", "x"), ("length", "20")]).status == 404)
    }

    @Test func `where Wayland keeps the clipboard from the background, X11's is used`() throws {
        let display = try TestDisplay(.x11)
        let environment = display.environment.merging(["WAYLAND_DISPLAY": "/nowhere/wayland-7"]) { $1 }
        let clipboard = try #require(SecretClipboard(environment: environment, patience: .seconds(60)))
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        #expect(try display.paste() == Self.secret)
        clipboard.clear()
    }

    @Test func `where both are there, Wayland's is used`() throws {
        let (x11, wayland) = (try TestDisplay(.x11), try TestDisplay(.wayland))
        let environment = x11.environment.merging(wayland.environment) { $1 }
        let clipboard = try #require(SecretClipboard(environment: environment, patience: .seconds(60)))
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        #expect(try wayland.paste() == Self.secret && x11.paste() == nil)
        clipboard.clear()
    }

    // MARK: - Attacks

    @Test func `a display that does not answer is given up, and holds up nothing`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/chatelaine-deaf-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let socket = try ListeningSocket(binding: folder + "/wayland", for: .owner)
        let clipboard = try #require(
            SecretClipboard(environment: ["WAYLAND_DISPLAY": folder + "/wayland"], patience: .seconds(1))
        )
        let start = ContinuousClock.now
        #expect(throws: SecretClipboard.Failure.unreachable) { try clipboard.copy(SecretBytes(Self.secret.utf8)) }
        // The thread still waits for the display.
        clipboard.close()
        #expect(start.duration(to: .now) < .seconds(30))
        withExtendedLifetime(socket) {}
    }

    @Test func `nothing is copied once the pages are closed`() throws {
        let display = try TestDisplay(.x11)
        let clipboard = try clipboard(display)
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        clipboard.close()
        #expect(try (display.paste() ?? "").isEmpty)
        #expect(throws: SecretClipboard.Failure.unreachable) { try clipboard.copy(SecretBytes(Self.secret.utf8)) }
        #expect(try (display.paste() ?? "").isEmpty)
    }

    @Test func `another program cannot say that the clipboard was taken over`() throws {
        let display = try TestDisplay(.x11)
        let clipboard = try clipboard(display)
        try clipboard.copy(SecretBytes(Self.secret.utf8))
        try display.forgeReplacement()
        #expect(try display.paste() == Self.secret)
        clipboard.clear()
    }

    // MARK: - On the pages

    private func added(to site: PagesSite) throws -> (PersistentReference, String) {
        var request = AddRequest(itemClass: .internetPassword)
        request.attributes[.label] = .string("Bank")
        request.attributes[.server] = .string("bank.example")
        request.attributes[.account] = .string("me")
        request.accessGroup = "other"
        request.secrets[.valueData] = SecretBytes(Self.secret.utf8)
        request.returns = .persistentReference
        return (try #require(try site.connection.add(request)).reference, try site.open())
    }

    @Test func `pages copy a password, its code and a new one, and none of them is in a page that did not show it`()
        throws
    {
        let display = try TestDisplay(.x11)
        let site = try PagesSite(clipboard: clipboard(display))
        let (reference, cookie) = try added(to: site)
        #expect(site.get(reference.path, cookie).text.contains("\(reference.path)/copy"))
        let copied = try site.post("\(reference.path)/copy", cookie)
        #expect(copied.header("Location") == reference.path && copied.body.isEmpty)
        #expect(try display.paste() == Self.secret)
        let page = site.get(reference.path, cookie).text
        #expect(page.contains("The password is in the clipboard for 60 seconds.") && !page.contains(Self.secret))

        // A page that shows a secret copies what it shows, and nobody is asked again.
        let shown = try site.post("\(reference.path)/reveal", cookie).text
        #expect(shown.plainText.contains("Copy Password") && shown.contains("name=\"value\" value=\"\(Self.secret)\""))
        _ = try site.post("\(reference.path)/copy", cookie, [("value", "as\r\nshown")])
        #expect(try display.paste() == "as\nshown")

        _ = try site.post("\(reference.path)/code/new", cookie, [("code", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")])
        let codePath = try #require(
            site.get(reference.path, cookie).text.firstMatch(of: #/action="([^"]*\/code)\/copy"/#)?.1
        )
        let code = try site.post("\(codePath)/copy", cookie)
        #expect(code.header("Location") == reference.path)
        #expect(try #require(try display.paste()).wholeMatch(of: #/\d{6}/#) != nil)

        let made = try site.post("/passwords", cookie, [("kind", "words"), ("words", "6")]).text
        let value = try #require(made.firstMatch(of: #/name="value" value="([^"]*)"/#)?.1)
        let again = try site.post(
            "/passwords/copy",
            cookie,
            [("value", String(value)), ("kind", "words"), ("digits", ""), ("symbols", ""), ("words", "6")]
        )
        #expect(try display.paste() == String(value))
        #expect(
            again.text.contains("The new password is in the clipboard") && again.text.contains("value=\"\(value)\"")
        )
        site.pages.forget()
        #expect(try (display.paste() ?? "").isEmpty)
    }

    @Test func `bytes that are no text are copied as the page shows them`() throws {
        let display = try TestDisplay(.x11)
        let site = try PagesSite(clipboard: clipboard(display))
        let (_, cookie) = try added(to: site)
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes[.service] = .string("bytes")
        request.secrets[.valueData] = SecretBytes([0, 255, 16])
        request.returns = .persistentReference
        let reference = try #require(try site.connection.add(request)).reference
        _ = try site.post("\(reference.path)/copy", cookie)
        #expect(try display.paste() == "00ff10")
        site.pages.forget()
    }
}
