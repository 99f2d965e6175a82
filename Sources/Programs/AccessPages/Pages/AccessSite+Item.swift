import EnclaveInterface
import KeychainModel

/// The page of one item.
extension AccessSite {
    func item(_ reference: PersistentReference) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        if reference.itemClass == .certificate { return try certificate(item) }
        let summary = ItemSummary(item)
        var values: PageValues = [
            "item": summary.row, "groups": ItemFacts(item, summary).groups, "hasSecrets": summary.kind.hasSecret,
            "editHref": "\(reference.path)/edit", "deleteAction": "\(reference.path)/delete",
        ]
        if let comment = item.attributes.text(.comment) { values["comment"] = ForeignText.lines(comment) }
        if let history = try history(of: reference) { values[history.key] = history.values }
        if let trail = trail(of: reference) { values["trail"] = trail }
        if summary.kind.hasSecret {
            values["secret"] =
                [
                    "label": "Password", "showAction": "\(reference.path)/reveal", "canCopy": false,
                    "asks": try asks(item),
                ] as PageValues
        }
        return framed("item", title: summary.kind.name, in: summary.kind.path, values)
    }

    /// How the owner is asked before the value is shown.
    private func asks(_ item: FoundItem) throws(KeychainError) -> String {
        let hasPasscode = try catalogue.state()?.hasPasscode ?? false
        if item.accessControl.asksPassword { return "The keychain asks for the password that the program has set." }
        if hasPasscode { return "The keychain asks for its passcode or your finger." }
        return "The keychain has no passcode, so it cannot ask for one. Set one with: chatelaine passcode set"
    }
}

extension ItemKind {
    /// Whether an item of this kind has a value that people read.
    var hasSecret: Bool { self == .password || self == .internetPassword }
}
