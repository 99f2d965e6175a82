/// Decides which requests reach the pages. Any program of any user can connect to a port of the loopback interface, and any
/// page in the owner's browser can have the browser do so.
package enum Admission {
    package enum Verdict: Sendable, Equatable {
        /// A request of the owner's own browser window.
        case page
        /// The first one, by the address.
        case opening(key: String)
        /// What the pages are drawn with. It has nothing of the keychain in it, and pages without a session need it.
        case asset
        case refused(Refusal)
    }

    package enum Refusal: Sendable, Equatable, CaseIterable {
        /// By a name that is not ours: a name of somebody else's that leads here (DNS rebinding).
        case otherHost
        /// Another page had the browser send it.
        case otherOrigin
        case noSession
        /// A form that is not of these pages, or of an earlier session.
        case noToken
        case method
    }

    package static let openingPath = "/open/"
    package static let tokenField = "token"

    /// - Parameter session: what it judges with; a request with the right cookie keeps it open.
    package static func judge(
        _ request: PageRequest,
        _ session: inout AccessSession,
        at now: ContinuousClock.Instant
    ) -> Verdict {
        // An exact name. That `Origin` and `Host` are equal says nothing: under DNS rebinding they are.
        guard request.host == session.host else { return .refused(.otherHost) }
        guard request.method == .get || request.method == .post else { return .refused(.method) }
        if request.method == .get, request.path.hasPrefix(openingPath) {
            // It may come from a link anywhere, but a page is not to open it unseen, nor a browser ahead of a click.
            guard request.fetchMode == nil || request.fetchMode == "navigate", request.purpose == nil else {
                return .refused(.otherOrigin)
            }
            return .opening(key: String(request.path.dropFirst(openingPath.count)))
        }
        guard isOwn(request, session) else { return .refused(.otherOrigin) }
        if request.method == .get, PageAsset(path: request.path) != nil { return .asset }
        guard session.admits(request.cookies(named: AccessSession.cookieName), at: now) else {
            return .refused(.noSession)
        }
        if request.method == .post {
            let tokens = request.form.values(Self.tokenField)
            guard tokens.count == 1, session.formToken.matches(tokens[0]) else { return .refused(.noToken) }
        }
        return .page
    }

    /// Whether the browser says that a page of ours, or the person, has asked for it.
    private static func isOwn(_ request: PageRequest, _ session: AccessSession) -> Bool {
        if let origin = request.origin, origin != session.origin { return false }
        switch request.method {
        case .post:
            // Every browser sends the origin with a form.
            return request.origin != nil && (request.fetchSite == nil || request.fetchSite == "same-origin")
        case .get, .other:
            // `none` is an address that was typed, or a bookmark.
            return request.fetchSite == nil || request.fetchSite == "same-origin" || request.fetchSite == "none"
        }
    }
}
