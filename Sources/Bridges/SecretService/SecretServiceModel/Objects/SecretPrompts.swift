import MessageBus

/// A prompt: something that is done once its client says so.
struct SecretPrompt {
    enum Action: Sendable {
        /// Unlocks, and says so of these paths, as the client wrote them.
        case unlock(_ paths: [String])
        case deleteItem(SecretItemID)
        case deleteCollection(String)

        /// What a client is told that dismissed the prompt.
        var nothing: BusValue {
            switch self {
            case .unlock: .paths([])
            case .deleteItem, .deleteCollection: .string("")
            }
        }
    }

    let client: String
    let action: Action
    /// The collections that the owner was asked about. An alias may mean another one since.
    var collections: [String] = []
    /// When it is over, in seconds of the service's clock.
    var deadline: UInt64
    /// The request that it waits for.
    var ticket: SecretService.Ticket?
}
