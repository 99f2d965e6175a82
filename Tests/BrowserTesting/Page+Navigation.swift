/// What a server answered when it was asked for a page.
package struct PageResponse: Sendable {
    package let url: String
    /// 0 for a page that no server was asked for.
    package let status: Int
    /// By their names in small letters. Those of several headers of a name are lines.
    package let headers: [String: String]
}

extension Page {
    /// Opens an address and waits until the page has loaded.
    @discardableResult
    package func open(_ url: String, within seconds: Double = 20) throws -> PageResponse {
        try waitForPage("\(url) has loaded", within: seconds) {
            let answer = try pipe.send(
                "Page.navigate",
                ["url": .string(url)],
                session: session,
                by: Deadline(within: seconds)
            )
            // A refusal without a text is a page of the browser's own, but it is an answer.
            if let error = answer["errorText"].text, error != "net::ERR_HTTP_RESPONSE_CODE_FAILURE" {
                throw BrowserFailure("\(error) at \(url)")
            }
            return answer["loaderId"].text ?? ""
        }
    }

    @discardableResult
    package func reload(within seconds: Double = 20) throws -> PageResponse {
        try waitForNavigation("the page has loaded again", within: seconds) { try send("Page.reload") }
    }

    /// Waits until another page has loaded, to which an action leads, such as a click on a link.
    @discardableResult
    package func waitForNavigation(
        _ what: String = "another page has loaded",
        within seconds: Double = 20,
        _ action: () throws -> Void
    ) throws -> PageResponse {
        try waitForPage(what, within: seconds) {
            try action()
            return nil
        }
    }

    /// - Parameter load: begins it, and returns which it is if it knows: "" is another place in the same page.
    private func waitForPage(
        _ what: String,
        within seconds: Double,
        _ load: () throws -> String?
    ) throws -> PageResponse {
        let deadline = Deadline(within: seconds)
        let first = pipe.events(session).count
        var seen: ArraySlice<BrowserEvent> { pipe.events(session, since: first) }
        do {
            var loader = try load()
            if loader == "" { return PageResponse(url: try url, status: 0, headers: [:]) }
            return try pipe.wait(for: what, by: deadline) {
                let seen = seen
                loader = seen.last { $0.isOfMainFrame }?.details["frame"]["loaderId"].text ?? loader
                guard let loader, seen.contains(where: { $0.isLoad(of: loader) }) else { return nil }
                return Self.response(loader, in: seen)
            }
        } catch {
            // Else the page that is still there does not say what it shows.
            _ = try? pipe.send("Page.stopLoading", session: session, by: Deadline(within: 2))
            throw BrowserFailure("waited \(seconds) seconds at most until \(what): \(error); \(state)")
        }
    }

    private static func response(_ loader: String, in events: ArraySlice<BrowserEvent>) -> PageResponse {
        let own = events.filter { $0.details["requestId"].text == loader }
        let response = own.last { $0.method == "Network.responseReceived" }?.details["response"] ?? .null
        // These are those that were sent, cookies and all.
        let sent = own.last { $0.method == "Network.responseReceivedExtraInfo" }?.details["headers"] ?? .null
        let headers = (sent == .null ? response["headers"] : sent).members
        return PageResponse(
            url: response["url"].text ?? "",
            status: response["status"].int ?? 0,
            headers: Dictionary(headers.map { ($0.lowercased(), $1.description) }) { $0 + "\n" + $1 }
        )
    }
}

extension BrowserEvent {
    fileprivate var isOfMainFrame: Bool { method == "Page.frameNavigated" && details["frame"]["parentId"] == .null }

    fileprivate func isLoad(of loader: String) -> Bool {
        method == "Page.lifecycleEvent" && details["name"] == "load" && details["loaderId"].text == loader
    }
}
