import EnclaveInterface
import KeychainModel

/// A question that was taken and is neither answered nor withdrawn.
struct OpenQuestion {
    let id: ItemUUID
    let question: PresenceQuestion
    let asker: Asker
    /// The access groups that the proof will be good for.
    let groups: [String]
    /// Of the service that has asked.
    let connection: UInt64
    var proved: PresenceFactors = []
    var password: SecretBytes?
    var wrongSecrets = 0
    /// To whom it is shown, and what is asked of them.
    var shown: [Int: Set<Prompt.Wish>] = [:]
    var isTrying = false

    /// Whether an application password is still to be typed.
    var needsPassword: Bool { question.password != .none && password == nil }

    /// Whether there is nothing left to ask for.
    var isProved: Bool { question.demand.isMet(by: proved) && !needsPassword }

    /// - Parameter isLocked: whether the keychain is.
    func prompt(_ wish: Prompt.Wish, readable: PresenceFactors, isLocked: Bool, hint: ReaderHint? = nil) -> Prompt {
        Prompt(
            question: id,
            wish: wish,
            asker: asker.description,
            groups: groups,
            isForView: question.scope == .ownersView,
            wishes: question.prompt,
            readable: readable,
            isRepeated: question.isRepeated && wish != .passcode,
            unlocks: isLocked && wish == .passcode,
            hint: hint
        )
    }
}
