import Foundation
import Glibc

/// Headless Chromium. It reaches nothing but this machine, and leaves nothing behind.
package final class Browser: Sendable {
    /// A cookie jar with its own pages.
    package struct Context: Sendable {
        let identifier: String
    }

    private let process: BrowserProcess
    private let pipe: DebuggingPipe
    private let isDark: Bool
    private let width: Int
    private let height: Int

    /// Whether there is one on this machine.
    package static var isInstalled: Bool { unsafe access(BrowserProcess.program, X_OK) == 0 }

    /// Starts a browser, and returns when it answers.
    ///
    /// - Parameters:
    ///   - arguments: come after all others, and so override them.
    ///   - isDark: whether pages are told that the user likes them dark.
    ///   - width: of a page, in CSS pixels.
    ///   - height: the same.
    package static func start(
        arguments: [String] = [],
        isDark: Bool = false,
        width: Int = 1280,
        height: Int = 900
    ) throws -> Browser {
        try Browser(arguments: arguments, isDark: isDark, width: width, height: height)
    }

    private init(arguments: [String], isDark: Bool, width: Int, height: Int) throws {
        process = try BrowserProcess(
            arguments: Self.arguments + ["--window-size=\(width),\(height)"] + arguments + ["about:blank"]
        )
        pipe = DebuggingPipe(process)
        self.isDark = isDark
        self.width = width
        self.height = height
        try pipe.send("Browser.getVersion", by: Deadline(within: 60))
    }

    /// Ends the browser with all its processes, and removes its folder. Else that happens once nobody holds the browser or
    /// one of its pages any more.
    package func close() {
        process.end()
    }

    /// The process, which leads a group of its own.
    package var identifier: Int32 { process.identifier }

    /// Where it keeps its profile, as long as it runs.
    package var folder: String { process.folder }

    package func newContext() throws -> Context {
        let context = try pipe.send("Target.createBrowserContext", by: Deadline(within: 20))
        return Context(identifier: context["browserContextId"].text ?? "")
    }

    /// Opens an empty page.
    ///
    /// - Parameter context: whose cookies it has; those of the browser where none is given.
    package func newPage(inContext context: Context? = nil) throws -> Page {
        var parameters: [String: JSONValue] = ["url": "about:blank"]
        parameters["browserContextId"] = context.map { .string($0.identifier) }
        let deadline = Deadline(within: 20)
        let target = try pipe.send("Target.createTarget", .object(parameters), by: deadline)["targetId"]
        let session = try pipe.send("Target.attachToTarget", ["targetId": target, "flatten": true], by: deadline)
        let page = Page(pipe, session: session["sessionId"].text ?? "", target: target.text ?? "", context: context)
        for domain in ["Page", "Network", "Runtime", "Log", "Audits"] { try page.send(domain + ".enable") }
        try page.send("Page.setLifecycleEventsEnabled", ["enabled": true])
        // Else a page that is not in front has no focus.
        try page.send("Emulation.setFocusEmulationEnabled", ["enabled": true])
        try page.setViewport(width: width, height: height)
        if isDark { try page.setEmulatedMedia(colorScheme: "dark") }
        return page
    }

    private static let arguments = [
        "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--no-default-browser-check",
        "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
        "--disable-domain-reliability", "--metrics-recording-only", "--force-color-profile=srgb", "--no-proxy-server",
        // Else it asks the Secret Service, which may be the program under test, for a key to its cookies.
        "--password-store=basic",
        // No name is looked up, and no address reached, but those of this machine.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1, EXCLUDE ::1",
    ]
}
