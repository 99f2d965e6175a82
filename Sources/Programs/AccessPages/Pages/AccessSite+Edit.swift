import EnclaveInterface
import KeychainModel

/// Adding items and changing them.
extension AccessSite {
    // MARK: - Forms

    func newItem(_ query: FormFields) throws(KeychainError) -> PageResponse {
        editor(
            .new(query["kind"] == ItemKind.internetPassword.rawValue ? .internetPassword : .password),
            FormFields(),
            []
        )
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
    private func editor(
        _ edited: Edited,
        _ sent: FormFields,
        _ errors: [(name: String, text: String)],
        _ choices: ItemChoices? = nil
    ) -> PageResponse {
        let error = Dictionary(errors.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
        var fields = edited.fields.map { field in
            var values: PageValues = [
                "id": field.name, "name": field.name, "label": field.label, "isMultiline": field.isMultiline,
                "value": sent[field.name] ?? edited.value(field), "isText": !field.isMultiline,
                "type": "text", "autocomplete": "off", "isRequired": false, "isPassword": false,
            ]
            if let help = field.help { values["help"] = help }
            if let text = error[field.name] { values["error"] = text }
            return values
        }
        if edited.kind.hasSecret, !edited.isOfBridge {
            fields.append(passwordField(edited, error[EditedField.password]))
        }
        var values: PageValues = [
            "fields": fields, "errors": errors.map { ["text": $0.text, "href": "#\($0.name)"] as PageValues },
            "hasErrors": !errors.isEmpty,
        ]
        // The title of a page is in the browser's history.
        let tab: String
        let title: String
        switch edited {
        case .new(let kind):
            tab = "New item"
            title = "New \(kind.name.lowercased())"
            values["action"] = "/items/new"
            values["hidden"] = [["name": "kind", "value": kind.rawValue] as PageValues]
            values["submitLabel"] = "Add"
            values["cancelHref"] = "/items"
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

    private func passwordField(_ edited: Edited, _ error: String?) -> PageValues {
        var isNew = false
        if case .new = edited { isNew = true }
        var values: PageValues = [
            "id": EditedField.password, "name": EditedField.password, "label": isNew ? "Password" : "New password",
            "value": "", "type": "password", "autocomplete": "new-password", "isText": true, "isPassword": true,
            "isMultiline": false, "isRequired": false,
        ]
        if !isNew { values["help"] = "Leave it empty to keep the present password." }
        if let error { values["error"] = error }
        return values
    }

    // MARK: - Changes

    func add(_ form: FormFields) throws(KeychainError) -> PageResponse {
        let kind: ItemKind = form["kind"] == ItemKind.internetPassword.rawValue ? .internetPassword : .password
        let errors = Self.errors(in: form, .new(kind))
        guard errors.isEmpty else { return editor(.new(kind), form, errors) }
        var request = AddRequest(itemClass: kind == .password ? .genericPassword : .internetPassword)
        for field in EditedField.all where field.kinds.contains(kind) {
            guard let text = form[field.name], !text.isEmpty else { continue }
            request.attributes[field.key] = try field.attribute(text)
        }
        request.secrets[.valueData] = SecretBytes(Array((form[EditedField.password] ?? "").utf8))
        request.returns = .persistentReference
        do throws(KeychainError) {
            guard let item = try catalogue.keychain.add(request) else { throw OperationResult.unexpected }
            catalogue.forget()
            say(PageNotice(text: "The item was added."))
            return .redirect(to: item.reference.path)
        } catch  where error.code == .duplicateItem {
            return editor(.new(kind), form, [(EditedField.all[0].name, error.explanation)])
        }
    }

    func change(_ reference: PersistentReference, _ form: FormFields) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let edited = Edited.existing(item)
        let code = try code(of: ItemSummary(item))
        let choices = try choices(for: ItemSummary(item))
        let errors = Self.errors(in: form, edited) + [choices?.error(in: form)].compactMap(\.self)
        guard errors.isEmpty else { return editor(edited, form, errors, choices) }
        var request = UpdateRequest(query: ItemCatalogue.query(reference))
        request.keepsEarlier = true
        for field in edited.fields {
            guard let text = form[field.name], field.read(text) != field.read(edited.value(field))
            else { continue }
            request.changes.attributes[field.key] = try field.attribute(text)
        }
        if let password = form[EditedField.password], !password.isEmpty, edited.kind.hasSecret, !edited.isOfBridge {
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
            return editor(edited, form, [(EditedField.all[0].name, error.explanation)], choices)
        }
        say(PageNotice(text: "The item was changed.", undo: try undo(of: ItemSummary(item), since: start)))
        return .redirect(to: reference.path)
    }

    private static func errors(in form: FormFields, _ edited: Edited) -> [(name: String, text: String)] {
        edited.fields.compactMap { field in
            guard let text = form[field.name] else { return nil }
            if text.utf8.count > EditedField.mostBytes { return (field.name, "\(field.label) is too long.") }
            if field.key == .port, !text.isEmpty, UInt16(text) == nil {
                return (field.name, "The port is a number up to 65535.")
            }
            return nil
        }
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
            help: "What the password is for. Programs find it by this and the account."
        ),
        EditedField(
            name: "server",
            label: "Website",
            key: .server,
            kinds: [.internetPassword],
            help: "The name of the server, such as www.example.com."
        ),
        EditedField(name: "account", label: "Account", key: .account, kinds: passwords),
        EditedField(name: "port", label: "Port", key: .port, kinds: [.internetPassword]),
        EditedField(name: "path", label: "Path", key: .path, kinds: [.internetPassword]),
        EditedField(name: "comment", label: "Notes", key: .comment, kinds: passwords, isMultiline: true),
    ]

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
