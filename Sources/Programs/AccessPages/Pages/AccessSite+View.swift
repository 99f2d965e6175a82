import EnclaveInterface
import KeychainModel

/// The owner's view: whether these pages show the items of all programs.
extension AccessSite {
    /// What an operation brings in a view that shows more than there is without one; nil elsewhere.
    func viewAuthentication() throws(KeychainError) -> ItemAuthentication? {
        guard try catalogue.isViewNeeded() else { return nil }
        return catalogue.ownersAuthentication()
    }

    /// Asks the owner for the view, and goes back to where the form was.
    func openView(_ form: FormFields) throws(KeychainError) -> PageResponse {
        try catalogue.openView()
        return .redirect(to: Self.page(form["value"]))
    }

    func closeView() -> PageResponse {
        catalogue.closeView()
        return .redirect(to: "/items")
    }

    /// What a page says of the view; nil where there is none to offer, nor to end.
    ///
    /// - Parameter page: of those that the form may lead back to.
    func viewValues(from page: String) throws(KeychainError) -> PageValues? {
        guard try catalogue.isViewNeeded(), let state = try catalogue.state() else { return nil }
        if catalogue.hasView {
            return [
                "text":
                    "You see the items of all programs, for ten minutes. You are asked before a secret is shown, and before "
                    + "an item is changed.",
                "action": "/view/close", "label": "Show Fewer", "value": page,
            ]
        }
        if state.lackOfOwner == nil {
            return [
                "text":
                    "These are the items of this program. To see those of all programs, agree to it in the keychain’s own "
                    + "window.",
                "action": "/view", "label": "Show All Items…", "value": page,
            ]
        }
        return [
            "text":
                "These are the items of this program alone. The items of other programs can be seen once the keychain has "
                + (state.hasPasscode
                    ? "a passcode that is confirmed: chatelaine passcode confirm"
                    : "a passcode: chatelaine passcode set")
        ]
    }

    /// Nothing but one of our own pages.
    private static func page(_ name: String?) -> String {
        switch name {
        case "items": "/items"
        case "deleted": "/deleted"
        case let name?: PersistentReference(pageName: name)?.path ?? "/"
        case nil: "/"
        }
    }
}
