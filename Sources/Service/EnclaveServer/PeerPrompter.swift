import EnclaveInterface
import KeychainModel

/// A prompter in another process.
struct PeerPrompter: Prompter {
    let number: UInt64
    let uid: UInt32
    let deliveries: EnclaveDeliveries

    func show(_ prompt: Prompt) {
        tell(.prompt(prompt))
    }

    func withdraw(_ question: ItemUUID) {
        tell(.withdrawal(question))
    }

    func report(_ factor: PresenceFactors) {
        tell(.stateRequest(factor))
    }

    private func tell(_ event: PrompterEvent) {
        guard let message = try? event.encoded(uid: uid) else { return }
        deliveries.add(.tell(message, to: number))
    }
}
