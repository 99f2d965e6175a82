import EnclaveInterface
package import KeychainModel
import Synchronization

/// The pages of one keychain: requests in, pages out. It is called from several threads, and waits where the owner is asked.
package final class AccessSite: Sendable {
    let catalogue: ItemCatalogue
    /// Where the keychain is, in words.
    let place: String
    /// Where the service keeps its record for this user; nil where there is no service.
    let recordPath: String?
    /// Where secrets are copied to; nil where there is no display.
    let clipboard: SecretClipboard?
    let templates: PageTemplates
    /// What was searched for, by number.
    let searches = Mutex<[String]>([])
    /// What looking at all passwords has shown.
    let findings = Mutex<PasswordFindings?>(nil)
    /// What else is wrong, in sentences.
    private let warned = Mutex<[String]>([])
    /// The list that somebody has come from.
    let list = Mutex<PageList?>(nil)
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    private struct State {
        var session: AccessSession
        /// What the next page says of what was done.
        var notice: PageNotice?
    }

    /// - Throws: where a template cannot be read.
    package init(
        _ catalogue: ItemCatalogue,
        _ session: AccessSession,
        place: String,
        recordPath: String? = nil,
        clipboard: SecretClipboard? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws {
        self.catalogue = catalogue
        self.place = place
        self.recordPath = recordPath
        self.clipboard = clipboard
        self.now = now
        templates = try PageTemplates()
        state = Mutex(State(session: session))
    }

    // MARK: - The session

    package var origin: String { state.withLock(\.session.origin) }

    /// The address that opens the pages, once.
    package var address: String { state.withLock(\.session.address) }

    /// Why the session has ended; nil while it has not.
    package var end: AccessSession.End? {
        let now = now()
        return state.withLock { $0.session.end(at: now) }
    }

    /// Whether somebody has opened the address.
    package var isOpen: Bool { state.withLock(\.session.isOpen) }

    package func close() {
        state.withLock { $0.session.close() }
        clipboard?.close()
    }

    /// What is wrong with how the keychain runs here, as far as it is known.
    package var warnings: [String] {
        get { warned.withLock { $0 } }
        set { warned.withLock { $0 = newValue } }
    }

    var formToken: String { state.withLock(\.session.formToken.text) }

    /// Has the next page say something.
    func say(_ notice: PageNotice) { state.withLock { $0.notice = notice } }

    func takeNotice() -> PageNotice? {
        state.withLock { state in
            defer { state.notice = nil }
            return state.notice
        }
    }

    // MARK: - Requests

    package func answer(_ request: PageRequest) -> PageResponse {
        let now = now()
        let verdict = state.withLock { Admission.judge(request, &$0.session, at: now) }
        switch verdict {
        case .page:
            let response = page(request)
            // It may have waited for the owner for minutes, and the session ended meanwhile.
            if end != nil, !response.endsProgram { return refusal(.refused(.noSession)) }
            return response
        case .asset: return PageAsset(path: request.path)?.response ?? refusal(.notThere)
        case .opening(let key): return opening(key, at: now)
        case .refused(let refusal): return self.refusal(.refused(refusal))
        }
    }

    /// The address sets the cookie, and leads on from a page of its own: a browser that comes by a link from elsewhere sends
    /// a strict cookie only from there.
    private func opening(_ key: String, at now: ContinuousClock.Instant) -> PageResponse {
        switch state.withLock({ $0.session.open(key, at: now) }) {
        case .wrong: return refusal(.refused(.noSession))
        case .usedBefore:
            var response = refusal(.addressUsed)
            response.endsProgram = true
            return response
        case .opened:
            var response = PageResponse.page(templates.render("opening", [:]))
            let cookie = state.withLock(\.session.cookieText)
            response.headers.append(("Set-Cookie", "\(cookie); Path=/; HttpOnly; SameSite=Strict"))
            return response
        }
    }

    private func page(_ request: PageRequest) -> PageResponse {
        do throws(KeychainError) {
            return try route(request)
        } catch {
            return failure(error, of: request)
        }
    }

    private func route(_ request: PageRequest) throws(KeychainError) -> PageResponse {
        let path = request.segments.map(String.init)
        // A locked keychain shows how it is locked, and nothing else: not even what can be read at any time.
        if !Self.worksLocked(path), let state = try catalogue.state(), state.lock != .unlocked {
            forget()
            throw state.refusal(of: .whenUnlocked)
        }
        switch (request.method, path.first, path.dropFirst().first, path.count) {
        case (.get, nil, _, _): return try overview()
        case (.get, "items", nil, _):
            return try items(numbered(ItemSelection(request.query, searches: searches.withLock { $0 })))
        case (.post, "items", nil, _): return .redirect(to: numbered(ItemSelection(request.form)).path)
        case (.post, "items", "delete", 2): return try deleteSelected(request.form)
        case (.get, "items", "new", 2): return newItem(request.query)
        case (.post, "items", "new", 2): return try add(request.form)
        case (.post, "items", "fill", 2): return fill(request.form)
        case (_, "item", let name?, _):
            guard let reference = PersistentReference(pageName: name) else { return notThere() }
            return try item(reference, request, Array(path.dropFirst(2)))
        case (.get, "certificates", nil, _): return try certificates()
        case (.get, "keys", nil, _): return try keys()
        case (.get, "programs", nil, _): return try bridges()
        case (.get, "groups", nil, _): return try groups()
        case (.get, "audit", nil, _): return try record(RecordSelection(request.query))
        case (.get, "devices", nil, _): return try devices()
        case (.get, "passwords", nil, _): return try passwords()
        case (.post, "passwords", nil, _): return try makePassword(request.form)
        case (.post, "passwords", "copy", 2): return try copyPassword(request.form)
        case (.post, "passwords", "check", 2): return try checkPasswords()
        case (.post, "view", nil, _): return try openView(request.form)
        case (.post, "view", "close", 2): return closeView()
        case (.get, "deleted", nil, _): return try deletedItems()
        case (.post, "deleted", "restore", 2): return try bringBack(request.form, to: "/deleted")
        case (.post, "deleted", "discard", 2): return try discard(request.form, to: "/deleted")
        case (.post, "lock", nil, _): return try lock()
        case (.post, "unlock", nil, _): return try unlock()
        case (.post, "close", nil, _): return closed()
        default: return notThere()
        }
    }

    private static func worksLocked(_ path: [String]) -> Bool { [[], ["lock"], ["unlock"], ["close"]].contains(path) }

    private func item(
        _ reference: PersistentReference,
        _ request: PageRequest,
        _ action: [String]
    ) throws(KeychainError) -> PageResponse {
        switch (request.method, action) {
        case (.get, []): return try item(reference)
        case (.get, ["certificate.pem"]): return try certificateFile(reference, isText: true)
        case (.get, ["certificate.der"]): return try certificateFile(reference, isText: false)
        case (.get, ["edit"]): return try editor(of: reference)
        case (.post, ["edit"]): return try change(reference, request.form)
        case (.post, ["delete"]) where request.form["confirmed"] == "yes": return try delete([reference])
        case (.post, ["delete"]): return try askToDelete([reference], from: reference.path)
        case (.post, ["reveal"]): return try reveal(reference)
        case (.post, ["copy"]): return try copySecret(reference, request.form)
        case (.post, ["code"]): return try showCode(reference)
        case (.post, ["code", "copy"]): return try copyCode(reference, request.form)
        case (.get, ["code", "new"]): return try codeForm(of: reference)
        case (.post, ["code", "new"]): return try addCode(to: reference, request.form)
        case (.post, ["undo"]): return try undo(reference, request.form)
        case (.post, ["restore"]): return try bringBack(request.form, to: reference.path)
        case (.post, ["discard"]): return try discard(request.form, to: reference.path)
        default: return notThere()
        }
    }

    func notThere() -> PageResponse { message(.notThere) }
}

/// A list of items that somebody has looked at.
struct PageList: Sendable {
    let name: String
    let path: String
}

/// What takes a change back.
struct PageUndo: Sendable {
    /// Where the form leads to.
    let path: String
    /// When the change began, in milliseconds since 1970: what was kept before it is another version.
    let time: Int64
    /// The one-time code that was deleted with a password.
    var code: PersistentReference?

    /// What the form says.
    var value: String { "\(time)" + (code.map { " \($0.pageName)" } ?? "") }
}

/// What a page says of what was just done.
struct PageNotice: Sendable {
    var text: String
    var isError = false
    var undo: PageUndo?
    /// Where what it tells of is.
    var link: (name: String, href: String)?

    var values: PageValues {
        var values: PageValues = ["text": text, "isError": isError, "isSuccess": !isError]
        if let undo {
            values["undo"] = ["action": undo.path, "label": "Undo", "value": undo.value] as PageValues
        }
        if let link { values["link"] = ["name": link.name, "href": link.href] as PageValues }
        return values
    }
}

extension PersistentReference {
    /// The item in an address: its class and its identifier.
    package var pageName: String { "\(itemClass.rawValue)-\(uuid.map(\.description) ?? "")" }

    package var path: String { "/item/\(pageName)" }

    package init?(pageName: String) {
        let parts = pageName.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let itemClass = ItemClass(rawValue: String(parts[0])), parts[1].utf8.count == 32 else {
            return nil
        }
        var bytes: [UInt8] = []
        var digits = parts[1].utf8[...]
        while let high = digits.popFirst(), let low = digits.popFirst() {
            guard let byte = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) else { return nil }
            bytes.append(byte)
        }
        guard let uuid = ItemUUID(bytes) else { return nil }
        self.init(itemClass: itemClass, uuid: uuid)
    }
}
