package import KeychainModel

/// What an item lacks, in a byte of a reply. The item's own access control says the rest.
package enum PresenceLack: UInt8, CaseIterable {
    case proof = 200
    case password = 201
    case both = 202
    /// No finger can prove it any more, though the access control says so.
    case passcodeProof = 203
    case passcodeProofAndPassword = 204

    package init?(number: UInt8) {
        self.init(rawValue: number)
    }

    package static func number(of need: PresenceNeed) -> UInt8 {
        let canBeFinger = need.demand.without(.biometry) != need.demand
        let lack: PresenceLack =
            switch (need.demand == .nothing, need.password == .none) {
            case (true, _): .password
            case (false, true): canBeFinger ? .proof : .passcodeProof
            case (false, false): canBeFinger ? .both : .passcodeProofAndPassword
            }
        return lack.rawValue
    }

    /// - Parameter demand: of the item's access control.
    package func error(items: [GuardedItem], _ demand: PresenceDemand) -> KeychainError {
        let need =
            switch self {
            case .proof: PresenceNeed(demand, items: items)
            case .password: PresenceNeed(.nothing, password: .existing, items: items)
            case .both: PresenceNeed(demand, password: .existing, items: items)
            case .passcodeProof: PresenceNeed(demand.without(.biometry), items: items)
            case .passcodeProofAndPassword:
                PresenceNeed(demand.without(.biometry), password: .existing, items: items)
            }
        return KeychainError(.interactionNotAllowed, Self.sentence, presence: .needed(need))
    }

    /// A new item's, whose password was not given.
    static var newPassword: KeychainError {
        KeychainError(
            .interactionNotAllowed,
            sentence,
            presence: .needed(PresenceNeed(.nothing, password: .new, items: []))
        )
    }

    private static let sentence = "the item's owner has to be asked"
}

extension KeychainError {
    /// The same, with what an item lacks said in full: a reply names neither the item nor what it demands.
    func about(_ binding: ItemBinding) -> KeychainError {
        guard need != nil, let control = try? binding.control() else { return self }
        return about(binding.item, control.demand)
    }

    func about(_ item: GuardedItem, _ demand: PresenceDemand) -> KeychainError {
        guard let need else { return self }
        return PresenceLack(number: PresenceLack.number(of: need))?.error(items: [item], demand) ?? self
    }

    /// The same, of an item whose application password is missing.
    func about(new item: GuardedItem) -> KeychainError {
        guard let need else { return self }
        return KeychainError(
            code,
            message,
            presence: .needed(PresenceNeed(need.demand, password: need.password, items: [item]))
        )
    }
}

extension ItemBinding {
    var item: GuardedItem { GuardedItem(uuid, in: accessGroup) }

    var needsApplicationPassword: Bool { (try? control().needsApplicationPassword) ?? false }
}

extension PromptAnswer {
    /// What stands for it in messages. It never changes.
    var number: UInt8 {
        switch self {
        case .accepted: 1
        case .wrong: 2
        case .over: 3
        }
    }

    init?(number: UInt8) {
        switch number {
        case 1: self = .accepted
        case 2: self = .wrong
        case 3: self = .over
        default: return nil
        }
    }
}
