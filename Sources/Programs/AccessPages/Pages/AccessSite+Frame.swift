import EnclaveInterface
import KeychainModel

/// What all pages have around them.
extension AccessSite {
    /// A page with the navigation and the state of the keychain around it.
    ///
    /// - Parameter path: the entry of the navigation that it belongs to.
    func framed(
        _ template: String,
        title: String,
        in path: String,
        status: Int = 200,
        _ values: PageValues
    ) -> PageResponse {
        var all = values
        all["title"] = title
        all["formToken"] = formToken
        all["hasNavigation"] = true
        all["navigation"] = navigation(current: path)
        all["lock"] = lockValues()
        all["place"] = place
        if let notice = takeNotice() { all["notice"] = notice.values }
        return .page(templates.render(template, all), status: status)
    }

    private func navigation(current: String) -> PageValues {
        // A locked keychain has no numbers.
        let counts = try? catalogue.index().counts
        func link(_ name: String, _ href: String, _ icon: String, _ count: Int? = nil) -> PageValues {
            var values: PageValues = ["name": name, "href": href, "icon": icon, "isCurrent": href == current]
            if let count { values["count"] = PageDate.number(count) }
            return values
        }
        let kinds = ItemKind.allCases.map { kind in
            link(kind.plural, kind.path, kind.icon, counts.map { $0[kind] ?? 0 })
        }
        let all = link("All items", "/items", "items", counts?.values.reduce(0, +))
        return [
            "sections": [
                ["name": "Keychain", "links": [link("Overview", "/", "overview")]] as PageValues,
                ["name": "Items", "links": [all] + kinds] as PageValues,
                [
                    "name": "More",
                    "links": [
                        link("Recently deleted", "/deleted", "trash"),
                        link("Password check", "/passwords", "dice"), link("Access groups", "/groups", "program"),
                        link("Other programs", "/programs", "card"),
                        link("Record", "/audit", "audit"), link("Devices", "/devices", "device"),
                    ],
                ] as PageValues,
            ]
        ]
    }

    private func lockValues() -> PageValues {
        guard let state = try? catalogue.state() else {
            return ["isLocked": false, "text": "No keychain yet", "canLock": false, "canUnlock": false]
        }
        let isLocked = state.lock != .unlocked
        return [
            "isLocked": isLocked, "text": isLocked ? "Locked" : state.hasPasscode ? "Unlocked" : "No passcode",
            "canLock": state.hasPasscode && !isLocked, "canUnlock": isLocked,
        ]
    }
}

extension ItemKind {
    /// The page of the items of this kind.
    var path: String {
        switch self {
        case .certificate: "/certificates"
        case .key: "/keys"
        case .password, .internetPassword, .code: "/items?kind=\(rawValue)"
        }
    }
}
