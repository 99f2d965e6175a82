import EnclaveClient
import EnclaveInterface
import FingerPrompting
import KeychainModel
import KeychainPrompting

/// Asks one user: at readers, and by a pinentry where one was named.
struct UserPrompter: Prompter {
    /// What is read. `readers` has one for each.
    private static let read: PresenceFactors = .biometry

    private let readers: [PresenceFactors: any Prompter]
    private let pinentry: PinentryPrompter?

    /// What a prompter with these options can bring.
    static func abilities(_ options: PromptOptions) -> PrompterAbilities {
        options.pinentry == nil ? .reading(read) : .reading(read).union(.typing)
    }

    init(of uid: UInt32, _ options: PromptOptions) throws(KeychainError) {
        // A connection for each answer: one that tries a passcode holds up no other.
        let desk: @Sendable () throws(KeychainError) -> RemoteEnclaveControl = { () throws(KeychainError) in
            try RemoteEnclaveControl(connectingTo: options.socket, uid: uid, server: options.server)
        }
        readers = [
            .biometry: FingerprintPrompter(
                uid: uid,
                templates: options.templates,
                desk: { () throws(KeychainError) in try desk() }
            )
        ]
        guard let path = options.pinentry else {
            pinentry = nil
            return
        }
        pinentry = try PinentryPrompter(path: path, desk: { () throws(KeychainError) in try desk() })
    }

    func show(_ prompt: Prompt) {
        if case .proof(let factor) = prompt.wish, let reader = readers[factor] {
            reader.show(prompt)
        } else {
            pinentry?.show(prompt)
        }
    }

    func withdraw(_ question: ItemUUID) {
        for reader in readers.values { reader.withdraw(question) }
        pinentry?.withdraw(question)
    }

    func report(_ factor: PresenceFactors) { readers[factor]?.report(factor) }
}
