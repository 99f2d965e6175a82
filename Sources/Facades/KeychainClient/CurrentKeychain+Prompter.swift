import EnclaveClient
package import EnclaveInterface
package import KeychainModel

extension CurrentKeychain {
    /// Registers a prompter for the owner of this process's keychain, for as long as the keychain's service lasts.
    ///
    /// - Parameter makePrompter: is given where answers go.
    /// - Throws: `notAvailable` when the service ends, and where none keeps the keychain: then each program asks by
    ///   itself.
    package static func showPrompts(
        _ makePrompter: (@escaping @Sendable () throws(KeychainError) -> any PromptDesk) throws(KeychainError) ->
            any Prompter
    ) throws(KeychainError) {
        guard case .service(let address) = try KeychainLocation.current() else {
            throw KeychainError(
                .invalidParameter,
                "no service keeps this keychain; the programs that open it ask by themselves"
            )
        }
        let connect = { @Sendable () throws(KeychainError) in
            try RemoteEnclaveControl(connectingTo: address.controlSocket, server: address.enclaveUser)
        }
        let prompter = try makePrompter { () throws(KeychainError) in try connect() }
        try connect().showPrompts(by: prompter, for: .typing)
    }
}
