import BrowserTesting
import Foundation
import KeychainTestSupport
import Testing

/// What its owner does with the pages, in a real browser.
@Suite(.enabled(if: Browser.isInstalled, "needs Chromium, which scripts/setup.sh --tests installs"))
struct BrowserFlowTests {
    private static let items = [
        ["add-generic-password", "-s", "imap.example", "-a", "ann", "-l", "Mail", "-w", "canary-first"],
        ["add-internet-password", "-s", "shop.example", "-a", "bob", "-l", "Shop", "-w", "canary-second"],
        ["add-generic-password", "-s", "backup", "-a", "disk", "-l", "Backup", "-w", "canary-third"],
    ]

    /// A browser whose owner has opened the pages.
    private func open(_ program: AccessProgram) throws -> Page {
        let page = try Browser.start().newPage()
        try page.open(program.address)
        try page.waitForText("Overview")
        // The address leads on by itself: this page is whole.
        try page.open(program.origin + "/")
        return page
    }

    @Test(arguments: [AccessProgram.Kind.embedded])
    func `an item is found, shown with the passcode, changed and deleted by keyboard alone`(
        _ kind: AccessProgram.Kind
    ) throws {
        let program = try AccessProgram(kind, hasPasscode: true, items: Self.items)
        let page = try open(program)
        try page.open(program.origin + "/items")
        try page.type("/")
        #expect(try page.focusedElement()?.role == "searchbox")
        try page.type("SHOP")
        try page.waitUntil(
            "only the shop is there",
            "document.querySelector('#results').ariaBusy != 'true' && document.querySelectorAll('tbody tr').length == 1"
        )
        // Somebody who types slowly searches more than once.
        #expect(try page.url.contains(/\/items\?search=[0-9]$/))
        try page.tab(to: "Shop", role: "link")
        try page.follow(.enter)
        #expect(try page.title.hasPrefix("Internet password") && page.text.contains("bob"))
        #expect(try !page.html.contains("canary"))

        program.allow()
        try page.tab(to: "Show Password")
        try page.follow(.enter)
        #expect(try page.text.contains("canary-second"))
        #expect(program.person.shown.contains("Show the password of") && program.person.shown.contains("Shop"))
        try page.tab(to: "Hide Password")
        try page.follow(.enter)
        #expect(try !page.html.contains("canary"))

        try page.tab(to: "Edit")
        try page.follow(.enter)
        try page.tab(to: "Account")
        try page.press(.control("a"))
        try page.type("carl")
        try page.follow(.enter)
        #expect(try page.text.contains("The item was changed."))
        #expect(try page.text.contains("carl"))
        // Once for seeing earlier versions, once for this item.
        program.allow()
        program.allow()
        try page.tab(to: "Undo")
        try page.follow(.enter)
        #expect(try page.text.contains("is as it was before") && page.text.contains("bob"))

        try page.tab(to: "Delete")
        try page.follow(.enter)
        #expect(try page.text.contains("Delete “Shop”?"))
        try page.tab(to: "Delete")
        try page.follow(.enter)
        #expect(try page.text.contains("The item was deleted."))
        #expect(try !program.succeed(["security", "list"]).contains("shop.example"))
        try page.open(program.origin + "/deleted")
        program.allow()
        try page.tab(to: "Restore Shop, bob")
        try page.follow(.enter)
        #expect(try page.text.contains("is back"))
        #expect(try program.succeed(["security", "list"]).contains("shop.example"))
    }

    @Test func `who takes a move back is asked for the group that the item is in`() throws {
        let program = try AccessProgram(
            hasPasscode: true,
            items: Self.items + [
                ["add-generic-password", "-s", "x", "-a", "y", "--group", "org.example.safe", "-w", "z"]
            ]
        )
        let page = try open(program)
        try page.open(program.origin + "/items?query=shop")
        try page.waitForNavigation { try page.click("tbody a") }
        try page.waitForNavigation { try page.click("a[href$='/edit']") }
        try page.evaluate("document.querySelector('#group').value = 'org.example.safe'")
        try page.waitForNavigation { try page.click(".submit button") }
        #expect(try page.text.contains("The item was changed.") && page.text.contains("org.example.safe"))
        program.allow()
        program.allow()
        try page.waitForNavigation { try page.click("form[action$=undo] button") }
        #expect(try page.text.contains("is as it was before") && !page.text.contains("org.example.safe"))
        #expect(program.person.shown.contains("It wants items of the group “org.example.safe”"))
        #expect(program.person.shown.contains("Replace by an earlier version 'Shop, bob'"))
    }

    @Test func `a copied password is pasted by other programs, and gone when the pages are closed`() throws {
        let display = try TestDisplay(.x11)
        let program = try AccessProgram(hasPasscode: true, items: Self.items, display: display)
        let page = try open(program)
        try page.open(program.origin + "/items?query=mail")
        try page.waitForNavigation { try page.click("tbody a") }
        program.person.answer(.no)
        try page.waitForNavigation { try page.click("form[action$='/copy'] button") }
        #expect(try page.text.contains("You declined") && display.paste() == nil)
        try page.open(program.origin + "/items?query=mail")
        try page.waitForNavigation { try page.click("tbody a") }
        program.allow()
        try page.waitForNavigation { try page.click("form[action$='/copy'] button") }
        #expect(try page.text.contains("The password is in the clipboard for 10 seconds."))
        #expect(program.person.shown.contains("Copy the password of 'Mail'"))
        #expect(try !page.html.contains("canary") && display.paste() == "canary-first")
        program.signal(SIGTERM)
        _ = try program.waitForEnd()
        #expect(try (display.paste() ?? "").isEmpty)
    }

    @Test func `what is wrong with the services here stands on the overview`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/chatelaine-run-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/chatelaine", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Nobody listens there.
        try Data().write(to: URL(filePath: folder + "/chatelaine/keychain.sock"))
        let program = try AccessProgram(items: Self.items, environment: ["XDG_RUNTIME_DIR": folder])
        let page = try open(program)
        try waitUntil("the overview says so", pause: 200_000) {
            try page.open(program.origin + "/")
            return try page.text.contains("the session service does not")
        }
        #expect(try page.text.contains("chatelaine doctor"))
    }

    @Test func `who declines sees no password`() throws {
        let program = try AccessProgram(hasPasscode: true, items: Self.items)
        let page = try open(program)
        try page.open(program.origin + "/items?query=mail")
        try page.waitForNavigation { try page.click("tbody a") }
        program.person.answer(.no)
        try page.waitForNavigation { try page.click("form[action$=reveal] button") }
        #expect(try page.text.contains("You declined"))
        #expect(try !page.html.contains("canary"))
    }

    @Test func `the items of other programs are seen, shown, changed and deleted once their owner agrees`() throws {
        let program = try AccessProgram(.service, hasPasscode: true, items: Self.items)
        let page = try open(program)
        try page.open(program.origin + "/items")
        #expect(try page.text.contains("These are the items of this program.") && !page.text.contains("Shop"))
        program.person.answer(.no)
        try page.waitForNavigation { try page.click("form[action='/view'] button") }
        #expect(try page.text.contains("You declined"))
        try page.open(program.origin + "/items")
        #expect(try !page.text.contains("Shop"))
        program.allow()
        try page.waitForNavigation { try page.click("form[action='/view'] button") }
        #expect(try page.text.contains("Shop") && page.text.contains("You see the items of all programs"))
        #expect(program.person.shown.contains("It wants to see what is in the whole keychain for ten minutes"))

        try page.open(program.origin + "/items?query=shop")
        try page.waitForNavigation { try page.click("tbody a") }
        program.person.answer(.no)
        try page.waitForNavigation { try page.click("form[action$=reveal] button") }
        #expect(try page.text.contains("You declined") && !page.html.contains("canary"))
        try page.open(program.origin + "/items?query=shop")
        try page.waitForNavigation { try page.click("tbody a") }
        program.allow()
        try page.waitForNavigation { try page.click("form[action$=reveal] button") }
        #expect(try page.text.contains("canary-second"))
        #expect(program.person.shown.contains("Show the secret of 'Shop, bob'"))

        try page.open(program.origin + "/items?query=shop")
        try page.waitForNavigation { try page.click("tbody a") }
        try page.waitForNavigation { try page.click("form[action$=delete] button") }
        program.allow()
        try page.waitForNavigation { try page.click("form[action$=delete] button") }
        #expect(try page.text.contains("The item was deleted.") && !page.text.contains("Shop"))
        #expect(program.person.shown.contains("Delete 'Shop, bob'"))
        program.allow()
        try page.waitForNavigation { try page.click("form[action$=undo] button") }
        #expect(try page.text.contains("is as it was before"))
        #expect(try program.succeed(["security", "list"]).contains("shop.example"))

        // What is deleted for good is asked for by its name as well.
        try page.waitForNavigation { try page.click("form[action$=delete] button") }
        program.allow()
        try page.waitForNavigation { try page.click("form[action$=delete] button") }
        func discard() throws {
            try page.open(program.origin + "/deleted")
            #expect(try page.text.contains("Shop, bob"))
            try page.waitForNavigation { try page.click("form[action='/deleted/discard'] button") }
            try page.waitForNavigation { try page.click("form[action='/deleted/discard'] button") }
        }
        program.person.answer(.no)
        try discard()
        #expect(try page.text.contains("You declined"))
        program.allow()
        try discard()
        #expect(try page.text.contains("It was deleted for good.") && !page.text.contains("Shop"))
        #expect(program.person.shown.contains("Delete for good 'Shop, bob'"))

        try page.open(program.origin + "/items")
        try page.waitForNavigation { try page.click("form[action='/view/close'] button") }
        #expect(try !page.text.contains("Shop"))
    }

    @Test func `everything works without scripts`() throws {
        let program = try AccessProgram(items: Self.items)
        let page = try open(program)
        try page.disableJavaScript()
        try page.open(program.origin + "/items")
        try page.click("input[name=query]")
        try page.type("backup")
        try page.waitForNavigation { try page.press(.enter) }
        #expect(try page.text.contains("disk"))
        #expect(try !page.text.contains("bob"))
        try page.waitForNavigation { try page.click("tbody a") }
        try page.waitForNavigation { try page.click("form[action$=reveal] button") }
        #expect(try page.text.contains("canary-third"))
    }

    @Test func `a locked keychain shows nothing of what is in it, and is unlocked at a prompt`() throws {
        let made = [["create-keypair", "-a", "ec", "-s", "256", "Shop key"], ["create-certificate", "Shop key"]]
        let program = try AccessProgram(hasPasscode: true, items: Self.items + made)
        let page = try open(program)
        #expect(try page.text.contains("Shop"))
        // A certificate can be read at any time.
        try page.open(program.origin + "/certificates")
        let certificate = try page.evaluate("document.querySelector('tbody th a').pathname").description
        #expect(certificate.hasPrefix("/item/cert-"))
        try page.open(program.origin + certificate)
        try page.waitForNavigation { try page.click(".title a[href^='/item/keys-']") }
        #expect(try page.text.contains("private key"))
        try page.waitForNavigation { try page.click(".title a[href='\(certificate)']") }
        #expect(try page.text.contains("Certificate with private key"))
        let ofCertificate = ["", "/edit", "/certificate.pem"].map { certificate + $0 }
        try page.waitForNavigation { try page.click("form[action='/lock'] button") }
        for path in [
            "/", "/items", "/items?query=shop", "/groups", "/keys", "/passwords", "/certificates", "/audit", "/devices",
            "/programs", "/deleted",
        ] + ofCertificate {
            try page.open(program.origin + path)
            #expect(try !page.html.contains("shop.example") && !page.html.contains("Shop"))
            #expect(try page.text.contains("Locked"))
        }
        try page.open(program.origin)
        #expect(try page.text.contains("The keychain is locked. Unlock it to see what is in it."))
        #expect(
            try !page.text.contains("no items")
                && page.evaluate("document.querySelector('.count')").description == "null"
        )
        program.allow()
        try page.waitForNavigation { try page.click("form[action='/unlock'] button") }
        try page.open(program.origin + "/items")
        #expect(try page.text.contains("shop.example"))
        #expect(program.person.shown.contains("Unlock the keychain"))

        // Where nothing can ask, the page says so, and what helps.
        try page.waitForNavigation { try page.click("form[action='/lock'] button") }
        try FileManager.default.removeItem(atPath: program.person.path)
        try page.waitForNavigation { try page.click("form[action='/unlock'] button") }
        #expect(try page.text.contains("The keychain is still locked") && page.text.contains("chatelaine unlock"))
    }

    @Test func `closing ends the program, and the browser shows nothing any more`() throws {
        let program = try AccessProgram(items: Self.items)
        let page = try open(program)
        try page.waitForNavigation { try page.click("form[action='/close'] button") }
        #expect(try page.text.contains("These pages are closed"))
        #expect(try program.waitForEnd() == 0)
    }

    @Test func `the pages ask nothing of anywhere else, and break no policy`() throws {
        let program = try AccessProgram(items: Self.items)
        let page = try open(program)
        for path in Self.paths(program, page) {
            try page.open(path)
            #expect(try page.policyViolations.isEmpty, "\(path)")
        }
        // The one message is of the page that is not there.
        #expect(
            try page.consoleMessages.filter { $0.level == "error" && !$0.text.contains("/nothing") }.map(\.text) == []
        )
        let requests = try page.requests
        #expect(requests.count > 20)
        // Chromium draws its own controls with pictures of its own.
        let others = requests.map(\.url).filter { !$0.hasPrefix(program.origin + "/") && !$0.hasPrefix("data:image/") }
        #expect(others == [])
    }

    /// Every page, by the links of the navigation and of the first item.
    private static func paths(_ program: AccessProgram, _ page: Page) -> [String] {
        let links = "[...document.querySelectorAll('nav a, tbody a')].map(a => a.href).join('\\n')"
        let found = (try? page.evaluate(links).description) ?? ""
        let first = found.split(separator: "\n").first { $0.contains("/item/") }.map(String.init)
        return found.split(separator: "\n").map(String.init).filter { !$0.contains("/item/") }
            + [first, first.map { $0 + "/edit" }].compactMap(\.self)
            + ["/items/new", "/items/new?kind=internet", "/nothing"].map { program.origin + $0 }
    }

    @Test func `each control has a name and a role, and each stop of the keyboard is seen`() throws {
        let program = try AccessProgram(items: Self.items)
        let page = try open(program)
        for path in Self.paths(program, page) {
            try page.open(path)
            #expect(try page.unnamedControls().isEmpty, "\(path)")
            let stops = try page.tabStops()
            #expect(stops.count > 3, "\(path)")
            #expect(stops.filter { !$0.hasFocusRing }.isEmpty, "\(path)")
        }
    }

    @Test(
        .enabled(if: Axe.source != nil, "needs axe, which scripts/setup.sh --tests fetches"),
        arguments: ["light", "dark"]
    )
    func `axe finds nothing on any page`(_ scheme: String) throws {
        let axe = try #require(Axe.source)
        let program = try AccessProgram(items: Self.items)
        let page = try open(program)
        try page.setEmulatedMedia(colorScheme: scheme)
        for path in Self.paths(program, page) {
            try page.open(path)
            let violations = try page.runAxe(source: axe)
            #expect(violations.isEmpty, "\(path): \(violations)")
        }
        try page.open(program.origin + "/items?query=mail")
        try page.waitForNavigation { try page.click("tbody a") }
        try page.waitForNavigation { try page.click("form[action$=reveal] button") }
        #expect(try page.runAxe(source: axe).isEmpty)
    }
}

extension Page {
    /// Presses the tabulator until a control of this name has the focus.
    func tab(to name: String, role: String? = nil) throws {
        for _ in 0..<80 {
            try press(.tab)
            if let focused = try focusedElement(), focused.name == name, role.map({ $0 == focused.role }) ?? true {
                return
            }
        }
        throw BrowserFailure("no control is called \(name): \(state)")
    }

    /// Presses a key that leads to another page.
    func follow(_ key: Key) throws { try waitForNavigation { try press(key) } }
}
