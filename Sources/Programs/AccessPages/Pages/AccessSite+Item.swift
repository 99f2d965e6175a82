import EnclaveInterface
import KeychainModel

/// The page of one item.
extension AccessSite {
    func item(_ reference: PersistentReference) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        if reference.itemClass == .certificate { return try certificate(item) }
        let summary = ItemSummary(item)
        var values: PageValues = [
            "item": summary.row, "groups": ItemFacts(item, summary).groups, "hasSecrets": summary.hasSecret,
            "back": list(of: summary.kind).values, "editHref": "\(reference.path)/edit",
            "deleteAction": "\(reference.path)/delete",
        ]
        if summary.kind == .key, let certificate = try certificate(of: item) {
            values["related"] = ["name": "Certificate", "href": certificate.path] as PageValues
        }
        if let comment = item.attributes.text(.comment) { values["comment"] = ForeignText.lines(comment) }
        if let history = try history(of: reference) { values[history.key] = history.values }
        if let trail = trail(of: reference) { values["trail"] = trail }
        if summary.hasSecret {
            let asks = try asks(item)
            var secrets = [secret(summary.isCode ? "Setup Address" : "Password", "\(reference.path)/reveal", asks)]
            if summary.isCode { secrets.insert(secret("One-Time Code", "\(reference.path)/code", asks), at: 0) }
            if let code = try code(of: summary) {
                secrets.append(secret("One-Time Code", "\(code.reference.path)/code", nil))
            }
            values["secret"] = secrets
            if let path = try addCodePath(summary) { values["addCodeHref"] = path }
        }
        return framed("item", title: summary.kindName, in: summary.kind.path, values)
    }

    private func secret(_ label: String, _ action: String, _ asks: String?) -> PageValues {
        let copyAction = action.hasSuffix("/code") ? "\(action)/copy" : action.replacing("/reveal", with: "/copy")
        var values: PageValues = [
            "label": label, "showAction": action, "canCopy": clipboard != nil, "copyAction": copyAction,
        ]
        if let asks { values["asks"] = asks }
        return values
    }

    /// How the owner is asked before the value is shown.
    private func asks(_ item: FoundItem) throws(KeychainError) -> String {
        let hasPasscode = try catalogue.state()?.hasPasscode ?? false
        if item.accessControl.asksPassword { return "The keychain asks for the password that the program has set." }
        if hasPasscode { return "The keychain asks for its passcode or your finger." }
        return "Shown without asking: the keychain has no passcode."
    }
}

extension ItemKind {
    /// Whether an item of this kind has a value that people read.
    var hasSecret: Bool { self == .password || self == .internetPassword || self == .code }
}
