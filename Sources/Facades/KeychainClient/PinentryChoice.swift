import EnclaveInterface
import KeychainModel
import KeychainPrompting

/// The pinentry of a process that opens its keychain itself.
package enum PinentryChoice: Sendable {
    /// What `CHATELAINE_PINENTRY` names, else the system's, where there is a terminal or a display to ask on. Whoever
    /// sets the variable of a process could as well read its keychain's files.
    case named
    case path(String)
    /// No prompt is shown.
    case none

    /// Has it shown what the owner is asked.
    func serve(_ enclave: any Enclave) {
        guard let desk = enclave.inProcess?.prompts, let path,
            let prompter = try? PinentryPrompter(
                path: path.named,
                desk: { [weak desk] () throws(KeychainError) in
                    guard let desk else { throw PresenceFailure.interrupted.error }
                    return desk
                }
            )
        else { return }
        _ = desk.register(prompter, for: .typing)
    }

    /// Nil for none; without a name, the system's.
    private var path: (named: String?, Void)? {
        switch self {
        case .path(let path): (path, ())
        case .none: nil
        case .named:
            if let path = Environment["CHATELAINE_PINENTRY"] {
                (path, ())
            } else {
                PromptTerminal.ofThisProcess == nil ? nil : (nil, ())
            }
        }
    }
}
