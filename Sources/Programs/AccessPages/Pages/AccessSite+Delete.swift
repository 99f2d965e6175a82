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
        let code = try code(of: first)
        let title = isOne ? "Delete “\(first.shownName)”?" : "Delete \(items.count) items?"
        return framed(
            "confirm",
            title: "Delete",
            in: first.kind.path,
            [
                "heading": title,
                "text": "Programs that use \(isOne ? "it" : "them") cannot read \(isOne ? "it" : "them") any more."
                    + (isOne && code != nil ? " Its one-time code is deleted with it." : ""),
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
    func delete(_ selected: [PersistentReference]) throws(KeychainError) -> PageResponse {
        // A password goes with its one-time code.
        let start = Self.milliseconds
        var code: PersistentReference?
        var undo: PageUndo?
        if selected.count == 1, let item = try catalogue.item(selected[0]).map(ItemSummary.init) {
            code = try self.code(of: item)?.reference
            undo = try self.undo(of: item, since: start)
            undo?.code = code
        }
        let references = selected + (code.map { [$0] } ?? [])
        if let authentication = try viewAuthentication() {
            return try delete(references, of: selected.count, authentication, undo)
        }
        let operations = references.map { KeychainOperation.delete(Self.deletion(of: $0)) }
        let results = try catalogue.keychain.transact(operations)
        let count = results.reduce(0) { sum, result in
            if case .count(let count) = result.answer { sum + count } else { sum }
        }
        return deleted(count, of: selected.count, undo)
    }

    /// What is deleted here can be restored.
    private static func deletion(of reference: PersistentReference) -> DeleteRequest {
        var request = DeleteRequest(query: ItemCatalogue.query(reference))
        request.keepsEarlier = true
        return request
    }

    /// One after the other: the owner is asked for each. A no ends it.
    private func delete(
        _ references: [PersistentReference],
        of selected: Int,
        _ authentication: ItemAuthentication,
        _ undo: PageUndo?
    ) throws(KeychainError) -> PageResponse {
        var count = 0
        for reference in references {
            var request = Self.deletion(of: reference)
            request.authentication = authentication
            do throws(KeychainError) {
                count += try catalogue.keychain.delete(request)
            } catch {
                guard count > 0 else { throw error }
                catalogue.forget()
                say(
                    PageNotice(
                        text: "\(count) of \(references.count) items were deleted. \(error.explanation)",
                        isError: true
                    )
                )
                return .redirect(to: "/items")
            }
        }
        return deleted(count, of: selected, undo)
    }

    private func deleted(_ count: Int, of selected: Int, _ undo: PageUndo?) -> PageResponse {
        catalogue.forget()
        let text =
            count == 0
            ? "Nothing was there to delete." : selected == 1 ? "The item was deleted." : "\(count) items were deleted."
        say(PageNotice(text: text, undo: count > 0 ? undo : nil))
        return .redirect(to: "/items")
    }
}
