import KeychainModel
import Synchronization

/// The table of items.
extension AccessSite {
    func items(_ selection: ItemSelection) throws(KeychainError) -> PageResponse {
        let index = try catalogue.index()
        let page = index.page(selection)
        let first = page.total == 0 ? 0 : page.start + 1
        let last = page.start + page.items.count
        let title = selection.kind?.plural ?? "All items"
        var values: PageValues = [
            "heading": title, "newHref": "/items/new" + (selection.kind == .password ? "?kind=password" : ""),
            "query": selection.text, "filters": filters(selection, index),
            "hasFilters": selection.restricts, "clearHref": "/items", "hidden": hidden(selection),
            "columns": columns(selection), "rows": page.items.map(\.row),
            "range": "\(PageDate.number(first))–\(PageDate.number(last)) of \(PageDate.number(page.total))",
            "total": PageDate.number(page.total), "isEmpty": page.items.isEmpty,
            "emptyText": index.items.isEmpty ? "The keychain has no items." : "No item matches.",
            "pages": page.total > page.items.count,
        ]
        list.withLock { $0 = PageList(name: selection.text.isEmpty ? title : "Search results", path: selection.path) }
        if let view = try viewValues(from: "items") { values["view"] = view }
        var turned = selection
        if page.start > 0 {
            turned.page = page.start / ItemSelection.rows
            values["previous"] = turned.path
        }
        if last < page.total {
            turned.page = page.start / ItemSelection.rows + 2
            values["next"] = turned.path
        }
        return framed("items", title: title, in: selection.kind?.path ?? "/items", values)
    }

    /// Groups with longer names, and more of them, have no place in a list or an address.
    private static let longestGroup = 400
    private static let mostGroups = 500

    /// What was searched for is kept for as long as the session.
    private static let mostSearches = 1_000

    /// The same with a number for its text.
    func numbered(_ selection: ItemSelection) -> ItemSelection {
        guard selection.search == nil, !selection.text.isEmpty else { return selection }
        var numbered = selection
        numbered.search = searches.withLock { searches in
            if let number = searches.lastIndex(of: selection.text) { return number }
            if searches.count >= Self.mostSearches { searches = [] }
            searches.append(selection.text)
            return searches.count - 1
        }
        return numbered
    }

    /// Options of a filter; the first one does not restrict.
    private func filters(_ selection: ItemSelection, _ index: ItemIndex) -> [PageValues] {
        func filter(_ name: String, _ label: String, _ any: String, _ options: [(String, String, Bool)]) -> PageValues {
            let all = [("", any, !options.contains(where: \.2))] + options
            return [
                "name": name, "label": label,
                "options": all.map { ["value": $0.0, "name": $0.1, "isSelected": $0.2] as PageValues },
            ]
        }
        return [
            filter("kind", "Kind", "All kinds", ItemKind.allCases.map { ($0.rawValue, $0.name, $0 == selection.kind) }),
            filter(
                "group",
                "Access group",
                "All groups",
                index.groups.lazy.filter { $0.name.utf8.count <= Self.longestGroup }.prefix(Self.mostGroups)
                    .map { ($0.name, ForeignText.shown($0.name), $0.name == selection.group) }
            ),
            filter(
                "protection",
                "Protection",
                "Any protection",
                Accessibility.allCases.map { ($0.rawValue, $0.name, $0 == selection.protection) }
            ),
            filter(
                "sync",
                "Synchronized",
                "All",
                [
                    ("yes", "Synchronized", selection.isSynchronizable == true),
                    ("no", "This device only", selection.isSynchronizable == false),
                ]
            ),
        ]
    }

    /// A search keeps the order of the table.
    private func hidden(_ selection: ItemSelection) -> [PageValues] {
        var hidden: [PageValues] = []
        if selection.column != .name { hidden.append(["name": "sort", "value": selection.column.rawValue]) }
        if selection.isDescending { hidden.append(["name": "order", "value": "down"]) }
        return hidden
    }

    /// What the template has columns for. A column's title leads to the same items in its order, or in the opposite one.
    private func columns(_ selection: ItemSelection) -> [PageValues] {
        [.name, .place, .kind, .group, .modified].map { (column: ItemSelection.Column) in
            var sorted = selection
            let isCurrent = column == selection.column
            sorted.column = column
            sorted.isDescending = isCurrent ? !selection.isDescending : column == .modified
            sorted.page = 1
            return [
                "name": column.name, "href": sorted.path, "isSortable": true,
                "isAscending": isCurrent && !selection.isDescending,
                "isDescending": isCurrent && selection.isDescending,
            ]
        }
    }
}

extension AccessSite {
    /// Where an item's page leads back to.
    func list(of kind: ItemKind) -> PageList {
        switch kind {
        case .certificate, .key: PageList(name: kind.plural, path: kind.path)
        case .password, .internetPassword, .code:
            list.withLock { $0 } ?? PageList(name: "All items", path: "/items")
        }
    }
}

extension PageList {
    var values: PageValues { ["name": name, "href": path] }
}

extension ItemSelection {
    /// The page of these items.
    var path: String {
        let query = query
        return query.isEmpty ? "/items" : "/items?\(query)"
    }
}

extension ItemSelection.Column {
    fileprivate var name: String {
        switch self {
        case .name: "Name"
        case .kind: "Kind"
        case .account: "Account"
        case .place: "Where"
        case .group: "Access Group"
        case .protection: "Protection"
        case .modified: "Modified"
        }
    }
}

extension ItemSummary {
    /// What the item is called on pages.
    var shownName: String { name.isEmpty ? "(no name)" : ForeignText.shown(name) }

    /// A line of a table.
    var row: PageValues {
        var values: PageValues = [
            "reference": reference.pageName, "name": shownName, "kind": kindName, "icon": kind.icon,
            "place": ForeignText.shown(place), "group": ForeignText.shown(group),
            "isGuarded": isGuarded, "isSynchronized": isSynchronizable, "modified": PageDate.near(modified),
            "modifiedISO": PageDate.machine(modified), "href": reference.path,
        ]
        // A template takes an empty text for one that is there.
        if !account.isEmpty { values["account"] = ForeignText.shown(account) }
        values["hasBoth"] = !account.isEmpty && !place.isEmpty
        return values
    }
}

extension Accessibility {
    /// When items of this class can be read, in a few words.
    var name: String {
        switch self {
        case .whenUnlocked: "While unlocked"
        case .afterFirstUnlock: "After the first unlock"
        case .always: "Always"
        case .whenUnlockedThisDeviceOnly: "While unlocked, this device only"
        case .afterFirstUnlockThisDeviceOnly: "After the first unlock, this device only"
        case .alwaysThisDeviceOnly: "Always, this device only"
        case .whenPasscodeSetThisDeviceOnly: "While a passcode is set, this device only"
        }
    }

    /// The same as a sentence.
    var explanation: String {
        let when =
            switch self {
            case .whenUnlocked, .whenUnlockedThisDeviceOnly: "Programs can read it while the keychain is unlocked."
            case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly:
                "Programs can read it once the keychain was unlocked after the start of the machine, also while it is locked."
            case .always, .alwaysThisDeviceOnly: "Programs can read it at any time, also while the keychain is locked."
            case .whenPasscodeSetThisDeviceOnly:
                "Programs can read it while the keychain is unlocked. It is destroyed if the passcode is removed."
            }
        return isThisDeviceOnly ? when + " It never leaves this device." : when
    }
}
