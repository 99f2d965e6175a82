import EnclaveInterface
import KeychainCircles
package import KeychainModel
import KeychainServiceClient

/// The owner's view: what these pages see of the items of other programs, where a service keeps programs apart.
extension ItemCatalogue {
    /// Whether a view shows more than there is without one.
    package func isViewNeeded() throws(KeychainError) -> Bool { try !keychain.seesAllGroups() }

    package var hasView: Bool { currentView != nil }

    /// Has the owner asked for a view.
    ///
    /// - Throws: with a `PresenceFailure` where they do not agree; `authenticationFailed` without a passcode that is theirs.
    package func openView() throws(KeychainError) {
        let context = try keychain.makeContext()
        do throws(KeychainError) {
            try context.evaluate(.ownersView)
        } catch {
            context.invalidate()
            throw error
        }
        replaceView(by: context)
    }

    package func closeView() { replaceView(by: nil) }

    /// What an operation brings so that it is the owner's; nil without a view.
    func ownersAuthentication() -> ItemAuthentication? {
        guard let context = currentView else { return nil }
        var authentication = ItemAuthentication()
        authentication.context = context
        authentication.isOwners = true
        return authentication
    }

    /// Finds items, in the view where there is one. Nobody is asked. A view that is over is closed.
    package func find(_ request: FindRequest) throws(KeychainError) -> [FoundItem] {
        guard try isViewNeeded(), var authentication = ownersAuthentication() else { return try keychain.find(request) }
        authentication.ui = request.authentication.ui
        var owners = request
        owners.authentication = authentication
        do throws(KeychainError) {
            return try keychain.find(owners)
        } catch {
            // A locked keychain refuses everybody.
            guard error.code == .interactionNotAllowed, try state()?.lock == .unlocked else { throw error }
            closeView()
            return try keychain.find(request)
        }
    }

    /// What says that earlier versions may be listed; nil where the owner has to be asked first.
    func leave() throws(KeychainError) -> OwnersLeave? {
        if let authentication = ownersAuthentication() { return .view(authentication) }
        guard let state = try state(), !state.hasPasscode, !state.keepsProgramsApart else { return nil }
        return .token(try keychain.control().authorize(.restore, passcode: nil))
    }
}
