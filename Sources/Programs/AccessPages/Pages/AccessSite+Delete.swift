import KeychainModel

/// Deleting items.
extension AccessSite {
    /// Items of one page.
    private static let mostListed = ItemSelection.rows

    func askToDelete(_ references: [PersistentReference], from path: String) throws(KeychainError) -> PageResponse {
        var items: [ItemSummary] = []
        for reference in references.prefix(Self.mostListed) {
            if let item = try catalogue.item(reference) { items.append(ItemSummary(item)) }
        }
        guard let first = items.first else { return message(.itemGone) }
        let isOne = items.count == 1
        let title = isOne ? "Delete “\(first.shownName)”?" : "Delete \(items.count) items?"
        return framed(
            "confirm",
            title: "Delete",
            in: first.kind.path,
            [
                "heading": title,
                "text": "Programs that use \(isOne ? "it" : "them") cannot read \(isOne ? "it" : "them") any more.",
                "hasList": !isOne, "list": items.map(Self.line),
                "action": isOne ? "\(first.reference.path)/delete" : "/items/delete",
                "values": [["name": "confirmed", "value": "yes"] as PageValues]
                    + items.map { ["name": "reference", "value": $0.reference.pageName] as PageValues },
                "confirmLabel": "Delete", "isDestructive": true, "cancelHref": path,
            ]
        )
    }

    private static func line(_ item: ItemSummary) -> String {
        item.account.isEmpty ? item.shownName : "\(item.shownName), \(ForeignText.shown(item.account))"
    }

    /// Those that were selected in a table: first a question, then, when it is confirmed, the deed.
    func deleteSelected(_ form: FormFields) throws(KeychainError) -> PageResponse {
        let references = form.values("reference").compactMap(PersistentReference.init(pageName:))
        guard !references.isEmpty else {
            say(PageNotice(text: "Select items first.", isError: true))
            return .redirect(to: "/items")
        }
        guard form["confirmed"] == "yes" else { return try askToDelete(references, from: "/items") }
        return try delete(references)
    }

    /// All of them, or none.
    func delete(_ references: [PersistentReference]) throws(KeychainError) -> PageResponse {
        let operations = references.map { KeychainOperation.delete(DeleteRequest(query: ItemCatalogue.query($0))) }
        let results = try catalogue.keychain.transact(operations)
        let count = results.reduce(0) { sum, result in
            if case .count(let count) = result.answer { sum + count } else { sum }
        }
        let text =
            count == 0
            ? "Nothing was there to delete." : count == 1 ? "The item was deleted." : "\(count) items were deleted."
        say(PageNotice(text: text))
        return .redirect(to: "/items")
    }
}
