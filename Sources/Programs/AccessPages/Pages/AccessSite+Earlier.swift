import EnclaveInterface
import Foundation
import KeychainCircles
import KeychainModel

/// Earlier versions of items: those that were deleted, and those of one item.
extension AccessSite {
    private static let rows = 200

    func deletedItems() throws(KeychainError) -> PageResponse {
        var values: PageValues = [
            "note": "What was deleted here can be restored for 90 days, except keys, and items that ask for you.",
            "isEmpty": true,
            "emptyText": "Nothing was deleted.",
        ]
        if let leave = try catalogue.leave() {
            let versions = try versions(leave).filter { $0.reason == .deleted && !$0.isThere }
            // The last version of each item.
            var seen: Set<ItemUUID> = []
            let rows = versions.filter { seen.insert($0.uuid).inserted }.prefix(Self.rows).map(\.row)
            values["rows"] = Array(rows)
            values["isEmpty"] = rows.isEmpty
        } else if let view = try askForVersions(from: "deleted") {
            values["view"] = view
            values["emptyText"] = "What was deleted is shown once you agree to it in the keychain’s own window."
        }
        return framed("deleted", title: "Recently deleted", in: "/deleted", values)
    }

    /// The earlier versions of an item that is there, or what asks for them; nil where none is kept.
    func history(of reference: PersistentReference) throws(KeychainError) -> (key: String, values: PageValues)? {
        guard let leave = try catalogue.leave() else { return nil }
        let versions = try versions(leave).filter { $0.uuid == reference.uuid && $0.itemClass == reference.itemClass }
        guard !versions.isEmpty else { return nil }
        return (
            "history",
            [
                "rows": versions.map { version -> PageValues in
                    [
                        "when": version.when, "whenISO": version.whenISO, "reason": version.reason.text,
                        "restoreAction": "\(reference.path)/restore", "value": String(version.number),
                        "discardAction": "\(reference.path)/discard",
                    ]
                }
            ]
        )
    }

    /// Makes an earlier version the current one, once the owner has agreed.
    func bringBack(_ form: FormFields, to path: String) throws(KeychainError) -> PageResponse {
        guard let number = form["value"].flatMap(Int64.init) else { return notThere() }
        guard let leave = try catalogue.leave() else { return .redirect(to: path) }
        let title = try catalogue.keychain.bringBack(number, leave)
        catalogue.forget()
        say(PageNotice(text: "“\(title.isEmpty ? "The item" : ForeignText.shown(title))” is back."))
        return .redirect(to: path)
    }

    /// Deletes an earlier version for good: first a question, then, when it is confirmed, the deed.
    func discard(_ form: FormFields, to path: String) throws(KeychainError) -> PageResponse {
        guard let number = form["value"].flatMap(Int64.init) else { return notThere() }
        guard let leave = try catalogue.leave() else { return .redirect(to: path) }
        guard form["confirmed"] == "yes" else {
            guard let version = try versions(leave).first(where: { $0.number == number }) else { return notThere() }
            return framed(
                "confirm",
                title: "Delete for good",
                in: path == "/deleted" ? path : "",
                [
                    "heading": "Delete “\(version.shownTitle)” for good?",
                    "text": "What it was until \(version.when) cannot be restored on this device any more.",
                    "hasList": false,
                    "action": "\(path)/discard",
                    "values": [("confirmed", "yes"), ("value", String(number))].map {
                        ["name": $0.0, "value": $0.1] as PageValues
                    },
                    "confirmLabel": "Delete for Good", "isDestructive": true, "cancelHref": path,
                ]
            )
        }
        _ = try catalogue.keychain.discard(number, leave)
        say(PageNotice(text: "It was deleted for good."))
        return .redirect(to: path)
    }

    static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// Whether an item that is changed or deleted here is kept as it was.
    func isKept(_ item: ItemSummary) throws(KeychainError) -> Bool {
        try (!catalogue.isViewNeeded() || catalogue.hasView) && !item.isGuarded && item.kind != .key
            && item.accessibility != .whenPasscodeSetThisDeviceOnly
    }

    /// What takes back a change that is about to be made; nil where nothing is kept of such an item.
    func undo(of item: ItemSummary, since time: Int64) throws(KeychainError) -> PageUndo? {
        guard try isKept(item) else { return nil }
        return PageUndo(path: "\(item.reference.path)/undo", time: time)
    }

    /// Takes back a change, or the deletion, of an item.
    func undo(_ reference: PersistentReference, _ form: FormFields) throws(KeychainError) -> PageResponse {
        let parts = (form["value"] ?? "").split(separator: " ").map(String.init)
        guard let time = parts.first.flatMap(Int64.init) else { return notThere() }
        let code = parts.dropFirst().first.flatMap(PersistentReference.init(pageName:))
        if try catalogue.leave() == nil { try catalogue.openView() }
        guard let leave = try catalogue.leave() else { return notThere() }
        let all = try versions(leave)
        func kept(_ reference: PersistentReference) -> EarlierVersion? {
            all.last { $0.uuid == reference.uuid && $0.itemClass == reference.itemClass && $0.time >= time }
        }
        let last = kept(reference)
        guard let last, let leave = try catalogue.leave() else {
            say(PageNotice(text: "The item as it was before is not kept.", isError: true))
            return .redirect(to: last == nil ? "/items" : reference.path)
        }
        let title = try catalogue.keychain.bringBack(last.number, leave)
        let keptCode = code.flatMap(kept)
        if let keptCode, let leave = try catalogue.leave() {
            _ = try catalogue.keychain.bringBack(keptCode.number, leave)
        }
        catalogue.forget()
        let name = title.isEmpty ? "The item" : ForeignText.shown(title)
        let isCodeLost = code != nil && keptCode == nil
        say(
            PageNotice(
                text:
                    "“\(name)” is as it was before\(isCodeLost ? ", without its one-time code, which was not kept" : "").",
                isError: isCodeLost
            )
        )
        return .redirect(to: reference.path)
    }

    private func versions(_ leave: OwnersLeave) throws(KeychainError) -> [EarlierVersion] {
        do throws(KeychainError) {
            return try catalogue.keychain.earlierVersions(leave)
        } catch  where error.code == .itemNotFound {
            return []
        } catch {
            guard error.code == .interactionNotAllowed, catalogue.hasView else { throw error }
            // The view is over.
            catalogue.closeView()
            return []
        }
    }

    private func askForVersions(from page: String) throws(KeychainError) -> PageValues? {
        guard let state = try catalogue.state() else { return nil }
        if state.lackOfOwner != nil { return try viewValues(from: page) }
        return [
            "text": "Deleted items are those of all programs, so the keychain asks you first.", "action": "/view",
            "label": "Show Deleted Items…", "value": page,
        ]
    }
}

extension EarlierVersion {
    /// Seconds since 2001.
    private var seconds: Double { Double(time) / 1_000 - Date.timeIntervalBetween1970AndReferenceDate }

    fileprivate var shownTitle: String { title.isEmpty ? "(no name)" : ForeignText.shown(title) }
    fileprivate var when: String { PageDate.text(seconds) }
    fileprivate var whenISO: String { PageDate.machine(seconds) }

    fileprivate var row: PageValues {
        let kind = ItemKind(itemClass) ?? .password
        return [
            "name": shownTitle, "kind": kind.name, "icon": kind.icon,
            "group": ForeignText.shown(accessGroup), "when": when, "whenISO": whenISO, "restoreValue": String(number),
        ]
    }
}

extension EarlierVersion.Reason {
    fileprivate var text: String {
        switch self {
        case .replaced: "Replaced"
        case .deleted: "Deleted"
        case .lost: "Lost against another device’s change"
        }
    }
}
