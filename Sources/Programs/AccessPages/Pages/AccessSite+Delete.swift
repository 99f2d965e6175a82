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
        var lost: [ItemSummary] = []
        for item in items where try !isKept(item) { lost.append(item) }
        var isCodeLost = false
        if isOne, let code { isCodeLost = try !isKept(code) }
        return framed(
            "confirm",
            title: "Delete",
            in: isOne ? first.kind.path : "/items",
            [
                "heading": title,
                "text": Self.consequences(of: items, lost: lost)
                    + (isOne && code != nil
                        ? " Its one-time code is deleted with it\(isCodeLost ? ", and cannot be restored" : "")." : ""),
                "hasList": !isOne,
                "list": items.map { Self.line($0, isLost: lost.count < items.count && lost.has($0)) },
                "action": isOne ? "\(first.reference.path)/delete" : "/items/delete",
                "values": [["name": "confirmed", "value": "yes"] as PageValues]
                    + items.map { ["name": "reference", "value": $0.reference.pageName] as PageValues },
                "confirmLabel": lost.isEmpty && !isCodeLost ? "Delete" : "Delete for Good", "isDestructive": true,
                "cancelHref": path,
            ]
        )
    }

    /// What happens to what is deleted.
    private static func consequences(of items: [ItemSummary], lost: [ItemSummary]) -> String {
        let (it, them) = items.count == 1 ? ("It", "it") : ("They", "them")
        let kept = "Programs cannot read \(them) any more. \(it) can be restored for 90 days, in Recently Deleted."
        guard !lost.isEmpty else { return kept }
        let keys = lost.contains { $0.kind == .key }
        let loss = keys ? " What was encrypted for a key cannot be read without it." : ""
        guard lost.count == items.count else {
            return "\(PageDate.number(lost.count)) of them cannot be restored: they are marked below.\(loss) "
                + "The others can, for 90 days, in Recently Deleted."
        }
        return "Programs cannot read \(them) any more, and \(them == "it" ? "it" : "they") cannot be restored.\(loss)"
    }

    private static func line(_ item: ItemSummary, isLost: Bool) -> PageValues {
        [
            "name": item.account.isEmpty ? item.shownName : "\(item.shownName), \(ForeignText.shown(item.account))",
            "kind": item.kindName, "icon": item.kind.icon, "isLost": isLost,
        ]
    }

    /// Those that were selected in a table: first a question, then, when it is confirmed, the deed.
    func deleteSelected(_ form: FormFields) throws(KeychainError) -> PageResponse {
        let references = form.values("reference").compactMap(PersistentReference.init(pageName:))
        guard !references.isEmpty else {
            say(PageNotice(text: "Select items first.", isError: true))
            return .redirect(to: list(of: .password).path)
        }
        guard form["confirmed"] == "yes" else { return try askToDelete(references, from: list(of: .password).path) }
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
        var isKept = false
        for reference in selected where !isKept {
            if let item = try catalogue.item(reference) { isKept = try self.isKept(ItemSummary(item)) }
        }
        let references = selected + (code.map { [$0] } ?? [])
        if let authentication = try viewAuthentication() {
            return try delete(references, of: selected.count, isKept: isKept, authentication, undo)
        }
        let operations = references.map { KeychainOperation.delete(Self.deletion(of: $0)) }
        let results = try catalogue.keychain.transact(operations)
        let count = results.reduce(0) { sum, result in
            if case .count(let count) = result.answer { sum + count } else { sum }
        }
        return deleted(count, references, of: selected.count, isKept: isKept, undo)
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
        isKept: Bool,
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
                return .redirect(to: list(of: .password).path)
            }
        }
        return deleted(count, references, of: selected, isKept: isKept, undo)
    }

    private func deleted(
        _ count: Int,
        _ references: [PersistentReference],
        of selected: Int,
        isKept: Bool,
        _ undo: PageUndo?
    ) -> PageResponse {
        catalogue.forget()
        let text =
            count == 0
            ? "Nothing was there to delete." : selected == 1 ? "The item was deleted." : "\(count) items were deleted."
        var notice = PageNotice(text: text, undo: count > 0 ? undo : nil)
        if count > 0, undo == nil, isKept {
            notice.link = ("Recently Deleted", "/deleted")
        }
        say(notice)
        let kind = references.first.flatMap { ItemKind($0.itemClass) } ?? .password
        return .redirect(to: list(of: selected == 1 ? kind : .password).path)
    }
}

extension [ItemSummary] {
    fileprivate func has(_ item: ItemSummary) -> Bool { contains { $0.reference == item.reference } }
}
