import EnclaveInterface
import Foundation
import KeychainCodes
import KeychainModel

/// One-time codes: shown beside their password, and added to it.
extension AccessSite {
    /// A code that is over sooner is shown with the next one.
    private static let shortSeconds = 10

    /// The item of the codes that go with a password.
    func code(of password: ItemSummary) throws(KeychainError) -> ItemSummary? {
        guard password.kind.hasSecret, !password.isCode else { return nil }
        // Another program's item is no code of this one, whatever it says that it is for.
        return try catalogue.index().items.first {
            $0.isCode && $0.group == password.group && $0.place == password.place && $0.account == password.account
        }
    }

    /// The page of the password that a code goes with, or else of the code's item.
    func passwordPath(of code: ItemSummary) throws(KeychainError) -> String {
        let password = try catalogue.index().items.first {
            !$0.isCode && $0.kind.hasSecret && $0.group == code.group && $0.place == code.place
                && $0.account == code.account
        }
        return (password ?? code).reference.path
    }

    /// Asks the owner for this item, and shows the code of this moment on a page that leaves when it is over.
    func showCode(_ reference: PersistentReference) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let summary = ItemSummary(item)
        guard summary.isCode else { return notThere() }
        let path = try passwordPath(of: summary)
        guard let secret = try released(summary, "Show the one-time code of “\(summary.shownName)”"),
            let code = try? OneTimeCode(stored: secret)
        else {
            return withoutSecret(summary, path)
        }
        let now = Date().timeIntervalSince1970
        let current = code.code(at: now)
        let isShort = current.secondsLeft < Self.shortSeconds
        let next = code.code(at: now + Double(current.secondsLeft))
        let seconds = current.secondsLeft + (isShort ? current.period : 0)
        var response = framed(
            "secret",
            title: summary.kindName,
            in: summary.kind.path,
            [
                "item": summary.row, "label": "One-Time Code",
                "name": "One-Time Code", "isCode": true,
                "value": isShort
                    ? "\(Self.grouped(current.digits)), and in \(current.secondsLeft) seconds \(Self.grouped(next.digits))"
                    : Self.grouped(current.digits),
                "seconds": seconds, "href": path, "hasSpelled": false,
                "canCopy": clipboard != nil, "copyAction": "\(reference.path)/code/copy",
                "copyValue": isShort ? next.digits : current.digits,
            ]
        )
        response.headers.append(("Refresh", "\(seconds); url=\(path)"))
        return response
    }

    /// In two halves, which people remember for long enough to type them.
    private static func grouped(_ digits: String) -> String {
        let half = (digits.count + 1) / 2
        return digits.prefix(half) + " " + digits.dropFirst(half)
    }

    // MARK: - Adding

    /// Whether these pages may add an item beside another one: not beside another program's.
    private func mayAddCode() throws(KeychainError) -> Bool { try !catalogue.isViewNeeded() || !catalogue.hasView }

    /// Where a code is added to a password; nil where it has one, or cannot have.
    func addCodePath(_ password: ItemSummary) throws(KeychainError) -> String? {
        guard password.kind.hasSecret, !password.isCode, password.bridge == nil, try mayAddCode(),
            try code(of: password) == nil
        else {
            return nil
        }
        return "\(password.reference.path)/code/new"
    }

    func codeForm(of reference: PersistentReference, _ error: String? = nil) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let summary = ItemSummary(item)
        guard try addCodePath(summary) != nil else { return notThere() }
        var field: PageValues = [
            "id": "code", "name": "code", "label": "Address or secret", "value": "", "type": "password",
            "autocomplete": "off", "isText": true, "isPassword": true, "isMultiline": false, "isRequired": true,
            "help": "The address of the QR code that the site shows (otpauth://…), or the secret in letters beside it.",
        ]
        if let error { field["error"] = error }
        return framed(
            "edit",
            title: "Add a one-time code",
            in: summary.kind.path,
            status: error == nil ? 200 : 422,
            [
                "heading": "Add a one-time code to \(summary.shownName)", "fields": [field],
                "action": "\(reference.path)/code/new", "submitLabel": "Add", "cancelHref": reference.path,
                "errors": error.map { [["text": $0, "href": "#code"] as PageValues] } ?? [], "hasErrors": error != nil,
            ]
        )
    }

    func addCode(to reference: PersistentReference, _ form: FormFields) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let summary = ItemSummary(item)
        guard try addCodePath(summary) != nil else { return notThere() }
        let code: OneTimeCode
        do throws(CodeFailure) {
            code = try OneTimeCode(text: (form["code"] ?? "").utf8)
                .named(issuer: summary.name.isEmpty ? summary.place : summary.name, account: summary.account)
        } catch {
            let sentence = error.message
            return try codeForm(
                of: reference,
                sentence.prefix(1).uppercased() + sentence.dropFirst()
                    + ". A secret has the letters A to Z and the digits 2 to 7."
            )
        }
        var request = CodeItem.request(code, for: summary.place, account: summary.account, label: summary.name)
        request.isSynchronizable = summary.isSynchronizable
        if try catalogue.keychain.seesAllGroups() { request.accessGroup = summary.group }
        _ = try catalogue.keychain.add(request)
        catalogue.forget()
        say(PageNotice(text: "The one-time code was added."))
        return .redirect(to: reference.path)
    }

    // MARK: - With the password

    /// Keeps a code beside a password whose place, account or name was changed.
    func move(_ code: ItemSummary, to reference: PersistentReference) throws(KeychainError) {
        guard let item = try catalogue.item(reference) else { return }
        let password = ItemSummary(item)
        let isMoved = try !catalogue.isViewNeeded() && password.group != code.group
        let isShared = try !catalogue.isViewNeeded() && password.isSynchronizable != code.isSynchronizable
        guard
            isMoved || isShared || password.place != code.place || password.account != code.account
                || password.name != code.name
        else { return }
        var request = UpdateRequest(query: ItemCatalogue.query(code.reference))
        if isMoved { request.changes.accessGroup = password.group }
        if isShared { request.changes.isSynchronizable = password.isSynchronizable }
        request.changes.attributes[.service] = .string(CodeItem.scheme + password.place)
        request.changes.attributes[.account] = .string(password.account)
        request.changes.attributes[.label] = .string(password.name)
        if let authentication = try viewAuthentication() { request.authentication = authentication }
        _ = try catalogue.keychain.update(request)
        catalogue.forget()
    }
}
