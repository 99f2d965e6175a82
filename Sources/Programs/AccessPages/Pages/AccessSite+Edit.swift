import EnclaveInterface
import Foundation
import KeychainModel

/// Adding items and changing them.
extension AccessSite {
    // MARK: - Forms

    func newItem(_ query: FormFields) -> PageResponse { editor(.new(Self.kind(query)), FormFields(), []) }

    /// A form that has a new password in it already.
    func fill(_ form: FormFields) -> PageResponse { editor(.new(Self.kind(form)), form, [], password: form["value"]) }

    /// What a new password is for: a website, unless something else is said.
    private static func kind(_ form: FormFields) -> ItemKind {
        form["kind"] == ItemKind.password.rawValue ? .password : .internetPassword
    }

    func editor(of reference: PersistentReference) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        return editor(.existing(item), FormFields(), [], try choices(for: ItemSummary(item)))
    }

    /// What a form is for.
    private enum Edited {
        case new(ItemKind)
        case existing(FoundItem)

        var kind: ItemKind {
            switch self {
            case .new(let kind): kind
            case .existing(let item): ItemSummary(item).kind
            }
        }

        /// What can be changed without changing what nobody has touched.
        var fields: [EditedField] {
            EditedField.all.filter {
                $0.kinds.contains(kind) && $0.holds(value($0)) && (!isOfBridge || $0.key == .label)
            }
        }

        var isNew: Bool { if case .new = self { true } else { false } }

        /// Whether its password can be typed.
        var hasPassword: Bool { kind.hasSecret && kind != .code && !isOfBridge }

        /// Whether another program finds it by all but its name.
        var isOfBridge: Bool {
            guard case .existing(let item) = self else { return false }
            return ItemSummary(item).bridge != nil
        }

        func value(_ field: EditedField) -> String {
            guard case .existing(let item) = self else { return "" }
            if field.key == .port { return item.attributes.number(.port).flatMap { $0 > 0 ? String($0) : nil } ?? "" }
            return item.attributes.text(field.key) ?? ""
        }
    }

    /// - Parameters:
    ///   - sent: what was typed, where it comes back with errors.
    ///   - errors: by the name of the field.
    ///   - password: a new one that the form has already.
    ///   - other: an item that is in the way.
    private func editor(
        _ edited: Edited,
        _ sent: FormFields,
        _ errors: [(name: String, text: String)],
        _ choices: ItemChoices? = nil,
        password: String? = nil,
        other: PersistentReference? = nil
    ) -> PageResponse {
        let error = Dictionary(errors.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
        var fields = edited.fields.map { field in
            var values: PageValues = [
                "id": field.name, "name": field.name, "label": field.label, "isMultiline": field.isMultiline,
                "value": sent[field.name] ?? edited.value(field), "isText": !field.isMultiline,
                "type": "text", "autocomplete": "off", "isRequired": edited.isNew && field.isRequired(for: edited.kind),
                "isPassword": false, "isOptional": false,
            ]
            if let help = field.help { values["help"] = help }
            if let text = error[field.name] { values["error"] = text }
            return values
        }
        if edited.hasPassword {
            let isLost = !errors.isEmpty && !(sent[EditedField.password] ?? "").isEmpty
            let field = passwordField(edited, error[EditedField.password], password, isLost: isLost)
            // The notes are last.
            fields.insert(field, at: edited.fields.last?.isMultiline ?? false ? fields.count - 1 : fields.count)
        }
        var links = errors.map { ["text": $0.text, "href": "#\($0.name)"] as PageValues }
        if let other { links.append(["text": "Open the item that is there", "href": other.path]) }
        var values: PageValues = ["fields": fields, "errors": links, "hasErrors": !errors.isEmpty]
        // The title of a page is in the browser's history.
        let tab: String
        let title: String
        switch edited {
        case .new(let kind):
            tab = "New item"
            title = "New password"
            values["tabs"] = [
                (ItemKind.internetPassword, "For a website"), (ItemKind.password, "For something else"),
            ].map {
                [
                    "name": $1, "href": "/items/new?kind=\($0.rawValue)", "isCurrent": $0 == kind, "kind": $0.rawValue,
                    "isFilled": password != nil, "password": password ?? "",
                ] as PageValues
            }
            values["hasTabs"] = true
            values["action"] = "/items/new"
            values["hidden"] = [["name": "kind", "value": kind.rawValue] as PageValues]
            values["submitLabel"] = "Add"
            values["cancelHref"] = list(of: kind).path
        case .existing(let item):
            tab = "Edit item"
            title = "Edit \(ItemSummary(item).shownName)"
            values["action"] = "\(item.reference.path)/edit"
            values["submitLabel"] = "Save"
            values["cancelHref"] = item.reference.path
        }
        values["heading"] = title
        choices?.add(to: &values, sent)
        return framed("edit", title: tab, in: edited.kind.path, status: errors.isEmpty ? 200 : 422, values)
    }

    private func passwordField(
        _ edited: Edited,
        _ error: String?,
        _ password: String?,
        isLost: Bool
    ) -> PageValues {
        var values: PageValues = [
            "id": EditedField.password, "name": EditedField.password,
            "label": edited.isNew ? "Password" : "New password", "value": password ?? "", "type": "password",
            "autocomplete": "new-password", "isText": true, "isPassword": true,
            "isMultiline": false, "isRequired": edited.isNew, "isOptional": false,
        ]
        if !edited.isNew { values["help"] = "Leave it empty to keep the present password." }
        if edited.isNew, password == nil {
            values["help"] = isLost ? "Type the password again: it is in no page that is sent back." : nil
            values["makeHref"] = "/passwords"
        }
        if let error { values["error"] = error }
        return values
    }

    // MARK: - Changes

    func add(_ form: FormFields) throws(KeychainError) -> PageResponse {
        let kind = Self.kind(form)
        let (form, networkProtocol) = Self.completed(form, kind)
        let errors = Self.errors(in: form, .new(kind))
        guard errors.isEmpty else { return editor(.new(kind), form, errors) }
        var request = AddRequest(itemClass: kind == .password ? .genericPassword : .internetPassword)
        for field in EditedField.all where field.kinds.contains(kind) {
            guard let text = form[field.name], !text.isEmpty else { continue }
            request.attributes[field.key] = try field.attribute(text)
        }
        if let networkProtocol { request.attributes[.networkProtocol] = .string(networkProtocol) }
        request.secrets[.valueData] = SecretBytes(Array((form[EditedField.password] ?? "").utf8))
        request.returns = .persistentReference
        do throws(KeychainError) {
            guard let item = try catalogue.keychain.add(request) else { throw OperationResult.unexpected }
            catalogue.forget()
            say(PageNotice(text: "The item was added."))
            return .redirect(to: item.reference.path)
        } catch  where error.code == .duplicateItem {
            let field = kind == .password ? "service" : "server"
            let text = "There is a password for this \(kind == .password ? "service" : "website") and account already."
            return editor(.new(kind), form, [(field, text)], other: try inTheWay(of: request))
        }
    }

    /// The item that a new one cannot be beside; nil where it cannot be told. Another program may have one in a group of its own,
    /// so only one that is alone is meant.
    private func inTheWay(of request: AddRequest) throws(KeychainError) -> PersistentReference? {
        var find = FindRequest(query: ItemCatalogue.query(request.itemClass))
        for key: AttributeKey in [.service, .account, .server] {
            find.query.filters[key] = request.attributes[key]
        }
        find.limit = .all
        find.returns = .attributes
        find.authentication.ui = .skip
        let keys: [AttributeKey] = [
            .service, .account, .server, .path, .networkProtocol, .securityDomain, .authenticationType,
        ]
        let found = try catalogue.find(find).filter { item in
            keys.allSatisfy { item.attributes.text($0) == request.attributes.text($0) }
                && (item.attributes.number(.port) ?? 0) == (request.attributes.number(.port) ?? 0)
                && !ItemSummary(item).isSynchronizable
        }
        return found.count == 1 ? found[0].reference : nil
    }

    /// What follows from what was typed: the parts of an address that was pasted, and a service from a name.
    private static func completed(_ form: FormFields, _ kind: ItemKind) -> (FormFields, networkProtocol: String?) {
        var form = form
        let typed = { (name: String) in (form[name] ?? "").trimmingCharacters(in: .whitespaces) }
        guard kind == .internetPassword else {
            if typed("service").isEmpty { form.set("service", typed("name")) }
            return (form, nil)
        }
        let server = typed("server")
        form.set("server", server)
        guard server.contains(where: { "/:@".contains($0) }), let place = WebPlace(server) else { return (form, nil) }
        form.set("server", place.host)
        if let port = place.port { form.set("port", String(port)) }
        if !place.path.isEmpty { form.set("path", place.path) }
        return (form, place.protocolCode)
    }

    func change(_ reference: PersistentReference, _ form: FormFields) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let edited = Edited.existing(item)
        let code = try code(of: ItemSummary(item))
        let choices = try choices(for: ItemSummary(item))
        let isServerChanged = form["server"].map { $0 != item.attributes.text(.server) ?? "" } ?? false
        let (form, networkProtocol) = isServerChanged ? Self.completed(form, edited.kind) : (form, nil)
        let errors = Self.errors(in: form, edited) + [choices?.error(in: form)].compactMap(\.self)
        guard errors.isEmpty else { return editor(edited, form, errors, choices) }
        var request = UpdateRequest(query: ItemCatalogue.query(reference))
        request.keepsEarlier = true
        for field in edited.fields {
            guard let text = form[field.name], field.read(text) != field.read(edited.value(field))
            else { continue }
            request.changes.attributes[field.key] = try field.attribute(text)
        }
        if let networkProtocol { request.changes.attributes[.networkProtocol] = .string(networkProtocol) }
        if let password = form[EditedField.password], !password.isEmpty, edited.hasPassword {
            request.changes.secrets[.valueData] = SecretBytes(Array(password.utf8))
        }
        choices?.take(form, into: &request.changes)
        guard !request.changes.isEmpty else {
            say(PageNotice(text: "Nothing was changed."))
            return .redirect(to: reference.path)
        }
        let start = Self.milliseconds
        let context = try catalogue.keychain.makeContext()
        defer { context.invalidate() }
        if let authentication = try viewAuthentication() {
            request.authentication = authentication
        } else {
            request.authentication.context = context
            request.authentication.prompt.reason = "Change “\(ItemSummary(item).shownName)”"
        }
        do throws(KeychainError) {
            guard try catalogue.keychain.update(request) > 0 else { return message(.itemGone) }
            catalogue.forget()
            if let code { try move(code, to: reference) }
        } catch  where error.code == .duplicateItem {
            let field = edited.fields.first { $0.key == .service || $0.key == .server } ?? EditedField.all[0]
            return editor(edited, form, [(field.name, error.explanation)], choices)
        }
        say(PageNotice(text: "The item was changed.", undo: try undo(of: ItemSummary(item), since: start)))
        return .redirect(to: reference.path)
    }

    private static func errors(in form: FormFields, _ edited: Edited) -> [(name: String, text: String)] {
        let isBlank = { (name: String) in (form[name] ?? "").allSatisfy(\.isWhitespace) }
        var missing: [(name: String, text: String)] = []
        if edited.isNew, (form[EditedField.password] ?? "").isEmpty {
            missing = [(EditedField.password, "Type the password.")]
        }
        return edited.fields.compactMap { field in
            let isNamed = field.key == .label && !isBlank("service")
            if edited.isNew, !isNamed, field.isRequired(for: edited.kind), isBlank(field.name) {
                return (field.name, "Say what the password is for.")
            }
            guard let text = form[field.name] else { return nil }
            if text.utf8.count > EditedField.mostBytes { return (field.name, "\(field.label) is too long.") }
            // Such a text is an address that could not be read, and may have a password in it.
            if field.key == .server, edited.isNew || text != edited.value(field),
                text.contains("://") || text.contains("@")
            {
                return (field.name, "This address cannot be read. Type the name of the server.")
            }
            if field.key == .port, !text.isEmpty, UInt16(text) == nil {
                return (field.name, "The port is a number up to 65535.")
            }
            return nil
        } + missing
    }
}

/// An attribute that people can change.
struct EditedField: Sendable {
    let name: String
    let label: String
    let key: AttributeKey
    let kinds: Set<ItemKind>
    var isMultiline = false
    var help: String?

    /// The name of the field with the value, which is no attribute.
    static let password = "password"
    static let mostBytes = 64 * 1024
    private static let passwords: Set<ItemKind> = [.password, .internetPassword]

    static let all = [
        EditedField(name: "name", label: "Name", key: .label, kinds: Set(ItemKind.allCases)),
        EditedField(
            name: "service",
            label: "Service",
            key: .service,
            kinds: [.password],
            help: "Programs find the password by this and the account. Without one it is the name."
        ),
        EditedField(
            name: "server",
            label: "Website",
            key: .server,
            kinds: [.internetPassword],
            help: "Its address, or the name of the server: www.example.com"
        ),
        EditedField(name: "account", label: "Account", key: .account, kinds: passwords),
        EditedField(name: "port", label: "Port", key: .port, kinds: [.internetPassword]),
        EditedField(name: "path", label: "Path", key: .path, kinds: [.internetPassword]),
        EditedField(name: "comment", label: "Notes", key: .comment, kinds: passwords.union([.code]), isMultiline: true),
    ]

    /// Whether a new item has to have it. A name does as a service.
    func isRequired(for kind: ItemKind) -> Bool { kind == .password ? key == .label : key == .server }

    func attribute(_ text: String) throws(KeychainError) -> AttributeValue {
        if key == .port { return .integer(Int64(text) ?? 0) }
        return .string(read(text))
    }

    /// A text as it is kept. Browsers send lines with two characters at their ends.
    func read(_ text: String) -> String {
        text.split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n")
    }

    /// Whether a browser gives the text back as it was given it.
    func holds(_ text: String) -> Bool {
        text.utf8.count <= Self.mostBytes
            && text.unicodeScalars.allSatisfy { scalar in
                isMultiline && (scalar == "\n" || scalar == "\r") || scalar.properties.generalCategory != .control
            }
    }
}
