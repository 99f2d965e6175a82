import EnclaveClient
import EnclaveInterface
import FingerPrompting
import KeychainModel
import KeychainPrompting

/// Asks one user: for fingers, and by a pinentry where one was named.
struct UserPrompter: Prompter {
    private let fingers: FingerprintPrompter
    private let pinentry: PinentryPrompter?

    init(of uid: UInt32, _ options: PromptOptions) throws(KeychainError) {
        // A connection for each answer: one that tries a passcode holds up no other.
        let desk: @Sendable () throws(KeychainError) -> RemoteEnclaveControl = { () throws(KeychainError) in
            try RemoteEnclaveControl(connectingTo: options.socket, uid: uid, server: options.server)
        }
        fingers = FingerprintPrompter(
            uid: uid,
            templates: options.templates,
            desk: { () throws(KeychainError) in try desk() }
        )
        guard let path = options.pinentry else {
            pinentry = nil
            return
        }
        pinentry = try PinentryPrompter(path: path, desk: { () throws(KeychainError) in try desk() })
    }

    func show(_ prompt: Prompt) {
        if prompt.wish == .biometry { fingers.show(prompt) } else { pinentry?.show(prompt) }
    }

    func withdraw(_ question: ItemUUID) {
        fingers.withdraw(question)
        pinentry?.withdraw(question)
    }

    func reportBiometry() { fingers.reportBiometry() }
}
