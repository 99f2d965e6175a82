import EnclaveInterface
import KeychainModel

/// An action that the desk performs for its state machine after the lock is released: a prompter or caller may call
/// back at once.
enum PresenceEffect: Sendable {
    case show(Prompt, prompter: Int)
    case withdraw(ItemUUID, prompter: Int)
    /// Gives the caller its answer. No question is resolved twice.
    case resolve(ItemUUID, Result<PresenceProof, KeychainError>)
    /// Asks for what the reader of a factor sees.
    case requestState(of: PresenceFactors, prompter: Int)
    /// The reader's state has come that this call waits for.
    case wake(refresh: Int)
}
