import AccessPages
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

/// The pages of a keychain of a test's own, without a server: requests go in as browsers would send them.
final class PagesSite: Sendable {
    let keychain: TestKeychain
    let connection: EmbeddedKeychain
    let pages: AccessSite

    static let host = "0123.localhost:4000"

    init(idleTime: Duration = .seconds(600), clipboard: SecretClipboard? = nil, record: String? = nil) throws {
        keychain = try TestKeychain()
        connection = keychain.connection(groups: ["security", "*"])
        let time = TestTime()
        self.time = time
        pages = try AccessSite(
            ItemCatalogue(connection, changes: FileChanges(directory: keychain.path)),
            AccessSession(host: Self.host, idleTime: idleTime, at: time.now),
            place: "A folder",
            recordPath: record,
            clipboard: clipboard,
            now: { time.now }
        )
    }

    let time: TestTime

    /// What a browser would send to open the address.
    var opening: PageRequest {
        var request = Self.request(.get, String(pages.address.dropFirst(pages.origin.count)))
        request.fetchSite = "none"
        return request
    }

    /// Opens the pages, as the owner's browser.
    ///
    /// - Returns: the header `Cookie` of the requests that follow.
    func open() throws -> String {
        let response = pages.answer(opening)
        try #require(response.status == 200)
        let cookie = try #require(response.headers.first { $0.name == "Set-Cookie" }?.value)
        return String(cookie.prefix { $0 != ";" })
    }

    static func request(_ method: PageRequest.Method, _ path: String, cookie: String? = nil) -> PageRequest {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        var request = PageRequest(method, parts[0])
        if parts.count > 1, let query = FormFields(parts[1].utf8) { request.query = query }
        request.host = host
        request.fetchMode = "navigate"
        request.fetchSite = "same-origin"
        if method == .post { request.origin = "http://" + host }
        if let cookie { request.cookieHeaders = [cookie] }
        return request
    }

    func get(_ path: String, _ cookie: String) -> PageResponse {
        pages.answer(Self.request(.get, path, cookie: cookie))
    }

    /// Sends a form as the pages have it.
    func post(_ path: String, _ cookie: String, _ fields: [(String, String)] = []) throws -> PageResponse {
        var request = Self.request(.post, path, cookie: cookie)
        request.form = try form([("token", token(cookie))] + fields)
        return pages.answer(request)
    }

    func form(_ fields: [(String, String)]) throws -> FormFields {
        try #require(FormFields(FormFields.query(fields).utf8))
    }

    /// The token in the forms of a page.
    func token(_ cookie: String) throws -> String {
        let page = get("/items", cookie).text
        let match = try #require(page.firstMatch(of: #/name="token" value="([0-9a-f]{64})"/#))
        return String(match.1)
    }
}

/// A clock that stands still between two steps of a test.
final class TestTime: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { instant.withLock { $0 } }

    func pass(_ duration: Duration) { instant.withLock { $0 += duration } }
}

extension PageResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
