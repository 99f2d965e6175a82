import KeychainEnclave
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

    func look() {
        tell(.look)
    }

    private func tell(_ event: PrompterEvent) {
        guard let message = try? event.encoded(uid: uid) else { return }
        deliveries.add(.tell(message, to: number))
    }
}

extension EnclaveRequest {
    /// Whether it takes a password's time, or waits for whoever looks at fingers.
    var takesTime: Bool {
        switch self {
        case .wrap(let keys, let credentials):
            !credentials.isEmpty || keys.contains { $0.binding.needsCurrentBiometry }
        case .unwrap(let keys, let credentials):
            !credentials.isEmpty || keys.contains { $0.binding.needsCurrentBiometry }
        case .useKey(let key, _, let credentials):
            // Hardware takes a part of a second.
            !credentials.isEmpty || key.header.accessControl.keyUseNeedsCurrentBiometry || key.kind != .software
        case .makeKey: true
        default: false
        }
    }
}
