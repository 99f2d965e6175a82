import AccessPages
import CKeychainLinux
import Glibc
import HTTPTypes
import Hummingbird
import KeychainSystem
import NIOCore
import NIOPosix
import Synchronization

/// Turns requests of HTTP into requests for pages. Pages are made on threads of their own, since they wait for the keychain.
final class SiteResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    private let pool: NIOThreadPool
    private let state = Mutex(State())

    private struct State {
        var site: AccessSite?
        var failure: (any Error)?
        var isOver = false
        /// What is there for as long as nobody has opened the address.
        var held: (any AnyObject & Sendable)?
    }

    /// How long after its last page the program still answers: the page has a style to load.
    private static let farewell = Duration.seconds(3)

    /// Looks at the keychain's lock every two seconds.
    private static let roundsOfLook = 10

    init(_ pool: NIOThreadPool) { self.pool = pool }

    func serve(_ site: AccessSite) { state.withLock { $0.site = site } }

    func hold(_ object: (any AnyObject & Sendable)?) { state.withLock { $0.held = object } }

    /// Nothing is shown from now on, whatever still waits for the owner.
    func finish() {
        let site = state.withLock { state in
            state.held = nil
            return state.site
        }
        site?.close()
        site?.forget()
    }

    func fail(_ error: any Error) { state.withLock { $0.failure = error } }

    /// Waits until the session is over.
    func end() async throws {
        let signals = [SIGTERM, SIGINT].map { Descriptor(owning: clinux_signal_event($0)) }
        var rounds = 0
        while true {
            try await Task.sleep(for: .milliseconds(200))
            for signal in signals where try signal.wait(for: POLLIN, until: ContinuousClock.now) { return }
            let (site, failure, isOver) = state.withLock { ($0.site, $0.failure, $0.isOver) }
            if let failure { throw failure }
            if isOver { return try await Task.sleep(for: Self.farewell) }
            guard let site else { continue }
            if site.end == .idle { return }
            if site.isOpen { state.withLock { $0.held = nil } }
            // Another program may have locked the keychain: nothing of it stays in memory then.
            rounds += 1
            if rounds.isMultiple(of: Self.roundsOfLook) { try await pool.runIfActive { site.forgetIfLocked() } }
        }
    }

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard let site = state.withLock({ $0.site }) else { return Response(status: .serviceUnavailable) }
        guard var page = Self.request(request) else { return Self.plain(.badRequest) }
        if page.method == .post {
            // Whoever sends forms without a session is not read to the end.
            guard let body = try? await request.body.collect(upTo: RequestLimits.mostBytes) else {
                return Self.plain(.contentTooLarge)
            }
            guard let form = FormFields(body.readableBytesView) else { return Self.plain(.badRequest) }
            page.form = form
        }
        let wanted = page
        let answer = try await pool.runIfActive { site.answer(wanted) }
        if answer.endsProgram { state.withLock { $0.isOver = true } }
        var response = Response(
            status: .init(code: answer.status),
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body))
        )
        for (name, value) in answer.headers {
            guard let name = HTTPField.Name(name) else { continue }
            response.headers.append(HTTPField(name: name, value: value))
        }
        return response
    }

    private static func plain(_ status: HTTPResponse.Status) -> Response {
        var response = Response(status: status)
        for (name, value) in PageResponse.protection {
            guard let name = HTTPField.Name(name) else { continue }
            response.headers.append(HTTPField(name: name, value: value))
        }
        response.headers[.connection] = "close"
        return response
    }

    /// - Returns: nil for a request whose query cannot be read.
    private static func request(_ request: Request) -> PageRequest? {
        let method: PageRequest.Method =
            switch request.method {
            case .get: .get
            case .post: .post
            default: .other
            }
        var page = PageRequest(method, request.uri.path)
        guard let query = FormFields((request.uri.query ?? "").utf8) else { return nil }
        page.query = query
        page.host = request.head.authority ?? ""
        page.origin = request.headers[.origin]
        page.fetchSite = named("Sec-Fetch-Site").flatMap { request.headers[$0] }
        page.fetchMode = named("Sec-Fetch-Mode").flatMap { request.headers[$0] }
        page.purpose =
            ["Sec-Purpose", "Purpose", "X-Moz"].compactMap(named).lazy.compactMap { request.headers[$0] }.first
        page.cookieHeaders = request.headers[values: .cookie]
        return page
    }

    private static func named(_ name: String) -> HTTPField.Name? { HTTPField.Name(name) }
}
