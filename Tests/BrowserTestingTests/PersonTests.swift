import BrowserTesting
import Foundation
import Testing

@Suite(
    "What a person does and meets",
    .enabled(if: Browser.isInstalled, "needs Chromium, which scripts/setup.sh --tests installs"),
    .serialized
)
struct PersonTests {
    private let browser: Browser
    private let tab: Page

    init() throws {
        browser = try Browser.start()
        tab = try browser.newPage()
    }

    private static let controls = page(
        """
        <a href="other.html">Away</a>
        <button onclick="this.textContent='Pressed'">Press</button>
        <label><input type="checkbox"> Agree</label>
        <form onsubmit="document.title=this.elements[0].value; event.preventDefault()">
        <label>Name <input name="name"></label></form>
        <label>Kind <select><option>One<option>Two</select></label>
        <button class="bare" onclick="this.textContent='Clicked'">Bare</button>
        <div style="height:3000px"></div><a id="far" href="#near">Far</a>
        """,
        head: """
            <style>:focus-visible { outline: 3px solid blue; transition: outline .3s } .bare:focus { outline: none }
            html { scroll-behavior: smooth }</style>
            """
    )

    @Test func `keys do what they do for a person`() throws {
        let server = try PageServer(["": Self.controls, "other.html": page("Other")])
        for _ in 0..<5 {
            try tab.open(server.url)
            #expect(try tab.focusedElement() == nil)
            try tab.press(.tab)
            #expect(try tab.focusedElement()?.description == "link \"Away\"")
            #expect(try tab.waitForNavigation { try tab.press(.enter) }.url.hasSuffix("other.html"))
        }
        try tab.open(server.url)
        try tab.press(.tab)
        try tab.press(.tab)
        try tab.press(.enter)
        #expect(try tab.focusedElement()?.name == "Pressed")
        try tab.press(.tab)
        try tab.press(.space)
        #expect(try tab.focusedElement()?.properties["checked"] == "true")
        try tab.press(.shiftTab)
        #expect(try tab.focusedElement()?.role == "button")
        try tab.press(.tab)
        try tab.press(.tab)
        try tab.type("Ada L. \u{E9}\u{4E2D}x")
        try tab.press(.backspace)
        #expect(try tab.focusedElement()?.value == "Ada L. \u{E9}\u{4E2D}")
        try tab.press(.enter)
        #expect(try tab.title == "Ada L. \u{E9}\u{4E2D}")
        try tab.press(.control("a"))
        try tab.type("B")
        #expect(try tab.focusedElement()?.value == "B")
        try tab.press(.tab)
        try tab.press(.down)
        #expect(try tab.focusedElement()?.value == "Two")
    }

    @Test func `a click goes where a person would click`() throws {
        let server = try PageServer(["": Self.controls])
        try tab.open(server.url)
        try tab.click(".bare")
        #expect(try tab.text.contains("Clicked"))
        try tab.click("#far")
        #expect(try tab.url.hasSuffix("#near"))
        try tab.click("input[type=checkbox]")
        #expect(try tab.evaluate("document.querySelector('input').checked") == true)
        let cover = "<div style=\"position:fixed;inset:0\"></div>"
        try tab.evaluate("document.body.insertAdjacentHTML('beforeend', '\(cover)')")
        let failure = #expect(throws: BrowserFailure.self) { try tab.click(".bare", within: 0.2) }
        #expect("\(failure, default: "")".contains(".bare can be clicked"))
    }

    @Test func `the focus goes through the page, and its ring is seen`() throws {
        let server = try PageServer(["": Self.controls])
        try tab.open(server.url)
        let expected = [
            TabStop(role: "link", name: "Away", hasFocusRing: true),
            TabStop(role: "button", name: "Press", hasFocusRing: true),
            TabStop(role: "checkbox", name: "Agree", hasFocusRing: true),
            TabStop(role: "textbox", name: "Name", hasFocusRing: true),
            TabStop(role: "combobox", name: "Kind", hasFocusRing: true),
            TabStop(role: "button", name: "Bare", hasFocusRing: false),
            TabStop(role: "link", name: "Far", hasFocusRing: true),
        ]
        #expect(try tab.tabStops() == expected)
        #expect(try tab.tabStops() == expected)
        #expect(try tab.tabStops(limit: 2).count == 2)
    }

    @Test func `controls without a name are found`() throws {
        let planted = """
            <button id="planted"><svg aria-hidden="true"></svg></button><div tabindex="0" id="nothing"></div>
            <img src="data:,"><input type="search"><select><option></option></select><svg role="img"></svg>
            <button aria-label="Close"></button><img alt="" src="data:,"><button hidden></button>
            """
        let server = try PageServer(["": Self.controls, "planted.html": page(planted)])
        try tab.open(server.url)
        #expect(try tab.unnamedControls().map(\.description) == [])
        #expect(try tab.accessibilityTree().contains { $0.role == "heading" && $0.name == "Sample" })
        try tab.open(server.url + "planted.html")
        let found = try tab.unnamedControls()
        #expect(
            found.map(\.role).sorted() == ["button", "combobox", "generic", "image", "image", "option", "searchbox"]
        )
        #expect(try tab.html(of: try #require(found.first)).hasPrefix("<button id=\"planted\">"))
    }

    @Test(.enabled(if: Axe.source != nil, "needs axe, which scripts/setup.sh --tests fetches"))
    func `axe finds what is wrong, and nothing where nothing is`() throws {
        let wrong = "<button></button><p style='color:#bbb;background:#fff'>Pale</p>"
        let server = try PageServer(
            ["": page("<p>Fine</p>"), "wrong.html": page(wrong)],
            policy: "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        )
        let source = try #require(Axe.source)
        try tab.open(server.url)
        #expect(try tab.runAxe(source: source).map(\.description) == [])
        try tab.open(server.url + "wrong.html")
        do {
            let found = try tab.runAxe(source: source)
            #expect(found.map(\.rule).sorted() == ["button-name", "color-contrast"], "\(found)")
            #expect(found.first { $0.rule == "button-name" }?.nodes.first?.hasPrefix("<button></button>") == true)
            #expect(found.first { $0.rule == "button-name" }?.impact == "critical")
        }
        let violations = try tab.policyViolations
        #expect(violations.isEmpty, "\(violations)")
    }
}
