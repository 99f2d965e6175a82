package import KeychainEnclave
package import KeychainModel

// MARK: - Questions, as bytes

extension MessageWriter {
    mutating func append(_ question: PresenceQuestion) throws(KeychainError) {
        try append(question.asker)
        append(UInt8(clamping: question.demand.alternatives.count))
        for factors in question.demand.alternatives.sorted(by: { $0.rawValue < $1.rawValue }) {
            append(factors.rawValue)
        }
        append(question.password.rawValue)
        try append(question.prompt)
        append((question.isRepeated ? 1 : 0) | (question.items == nil ? 0 : 2) as UInt8)
        guard let items = question.items else { return }
        guard items.count <= PresenceQuestion.mostItems else { throw Self.tooLarge }
        append(UInt16(clamping: items.count))
        for item in items.map(\.bytes).sorted(by: { $0.lexicographicallyPrecedes($1) }) { append(item) }
    }

    mutating func append(_ asker: Asker) throws(KeychainError) {
        append((asker.isVerified ? 1 : 0) as UInt8)
        try append(short: Array(asker.name.utf8))
    }

    mutating func append(_ wishes: PromptWishes) throws(KeychainError) {
        try append(short: Array(wishes.reason.utf8))
        for title in [wishes.cancelTitle, wishes.fallbackTitle] {
            append((title == nil ? 0 : 1) as UInt8)
            if let title { try append(short: Array(title.utf8)) }
        }
        append((wishes.terminal == nil ? 0 : 1) as UInt8)
        guard let terminal = wishes.terminal else { return }
        for field in terminal.fields { try append(short: Array(field.utf8)) }
    }

    mutating func append(_ status: PresenceStatus) throws(KeychainError) {
        append(status.passcode?.rawValue ?? 0)
        append(status.biometry?.rawValue ?? 0)
        append((status.biometrySet == nil ? 0 : 1) as UInt8)
        if let set = status.biometrySet { try append(short: set) }
    }
}

extension MessageReader {
    mutating func question() throws(KeychainError) -> PresenceQuestion {
        let asker = try asker()
        let count = Int(try byte())
        var alternatives: [PresenceFactors] = []
        for _ in 0..<count {
            let factors = try factors()
            guard alternatives.last.map({ $0.rawValue < factors.rawValue }) ?? true else { throw Self.malformed }
            alternatives.append(factors)
        }
        guard let password = PasswordWish(rawValue: try byte()) else { throw Self.malformed }
        let wishes = try wishes()
        let flags = try flags(3)
        var items: Set<ItemUUID>?
        if flags & 2 != 0 {
            items = []
            let count = Int(try number() as UInt16)
            guard count <= PresenceQuestion.mostItems else { throw Self.malformed }
            var last: [UInt8] = []
            for _ in 0..<count {
                let item = try uuid()
                guard last.lexicographicallyPrecedes(item.bytes) else { throw Self.malformed }
                last = item.bytes
                items?.insert(item)
            }
        }
        return PresenceQuestion(
            of: asker,
            PresenceDemand(Set(alternatives)),
            password: password,
            prompt: wishes,
            items: items,
            isRepeated: flags & 1 != 0
        )
    }

    private mutating func factors() throws(KeychainError) -> PresenceFactors {
        let factors = PresenceFactors(rawValue: try byte())
        guard PresenceFactors.all.isSuperset(of: factors) else { throw Self.malformed }
        return factors
    }

    mutating func asker() throws(KeychainError) -> Asker {
        let isVerified = try flags(1) != 0
        return Asker(name: try string(most: Asker.longestName), isVerified: isVerified)
    }

    mutating func wishes() throws(KeychainError) -> PromptWishes {
        var wishes = PromptWishes()
        wishes.reason = try string(most: PromptWishes.longestReason)
        if try flags(1) != 0 { wishes.cancelTitle = try string(most: PromptWishes.longestTitle) }
        if try flags(1) != 0 { wishes.fallbackTitle = try string(most: PromptWishes.longestTitle) }
        guard try flags(1) != 0 else { return wishes }
        var terminal = PromptTerminal()
        terminal.name = try string(most: PromptWishes.longestTerminalField)
        terminal.type = try string(most: PromptWishes.longestTerminalField)
        terminal.display = try string(most: PromptWishes.longestTerminalField)
        terminal.waylandDisplay = try string(most: PromptWishes.longestTerminalField)
        terminal.locale = try string(most: PromptWishes.longestTerminalField)
        wishes.terminal = terminal
        return wishes
    }

    private mutating func string(most: Int) throws(KeychainError) -> String {
        let bytes = try short()
        guard bytes.count <= most, let text = String(validating: bytes, as: UTF8.self) else { throw Self.malformed }
        return text
    }

    mutating func proof() throws(KeychainError) -> PresenceProof {
        guard let proof = PresenceProof(try take(PresenceProof.size)) else { throw Self.malformed }
        return proof
    }

    mutating func abilities() throws(KeychainError) -> PrompterAbilities { PrompterAbilities(rawValue: try flags(3)) }

    mutating func presenceFailure() throws(KeychainError) -> PresenceFailure {
        guard let failure = PresenceFailure(rawValue: try byte()) else { throw Self.malformed }
        return failure
    }

    mutating func presenceStatus() throws(KeychainError) -> PresenceStatus {
        let passcode = try obstacle()
        let biometry = try obstacle()
        return PresenceStatus(
            passcode: passcode,
            biometry: biometry,
            biometrySet: try flags(1) == 0 ? nil : short()
        )
    }

    mutating func optionalFingerHint() throws(KeychainError) -> FingerHint? {
        let number = try byte()
        if number == 0 { return nil }
        guard let hint = FingerHint(rawValue: number) else { throw Self.malformed }
        return hint
    }

    mutating func fingerHint() throws(KeychainError) -> FingerHint {
        guard let hint = FingerHint(rawValue: try byte()) else { throw Self.malformed }
        return hint
    }

    mutating func biometrySight() throws(KeychainError) -> BiometrySight {
        let obstacle = try obstacle()
        guard [nil, .noBiometry, .notEnrolled].contains(obstacle) else { throw Self.malformed }
        guard try flags(1) != 0 else { return BiometrySight(obstacle: obstacle, set: nil) }
        guard let set = BiometrySet(try take(BiometrySet.size)) else { throw Self.malformed }
        return BiometrySight(obstacle: obstacle, set: set)
    }

    private mutating func obstacle() throws(KeychainError) -> PresenceFailure? {
        let number = try byte()
        if number == 0 { return nil }
        guard let failure = PresenceFailure(rawValue: number) else { throw Self.malformed }
        return failure
    }
}

extension PromptTerminal {
    fileprivate var fields: [String] { [name, type, display, waylandDisplay, locale] }
}

// MARK: - What prompters are told

/// What the enclave tells a prompter.
package enum PrompterEvent: Sendable, Hashable {
    case prompt(Prompt)
    case withdrawal(ItemUUID)
    /// What can be seen of the owner's fingers is wanted.
    case look

    /// - Parameter uid: whose keychain it is about.
    package func encoded(uid: UInt32) throws(KeychainError) -> [UInt8] {
        switch self {
        case .prompt(let prompt):
            var writer = MessageWriter(kind: promptKind, id: 0, uid: uid)
            writer.append(prompt.question.bytes)
            writer.append(prompt.wish.rawValue)
            writer.append((prompt.biometryIsEnough ? 1 : 0) | (prompt.isRepeated ? 2 : 0) as UInt8)
            try writer.append(prompt.asker)
            try writer.append(prompt.wishes)
            writer.append(prompt.hint?.rawValue ?? 0)
            return try writer.finish()
        case .withdrawal(let question):
            var writer = MessageWriter(kind: withdrawalKind, id: 0, uid: uid)
            writer.append(question.bytes)
            return try writer.finish()
        case .look:
            let writer = MessageWriter(kind: lookKind, id: 0, uid: uid)
            return try writer.finish()
        }
    }

    /// - Throws: `invalidParameter` for anything that is no such event.
    package static func decode(
        _ bytes: some Collection<UInt8>
    ) throws(KeychainError) -> (uid: UInt32, event: PrompterEvent) {
        var reader = try MessageReader(bytes)
        let header = try reader.header()
        guard header.id == 0 else { throw MessageReader.malformed }
        let event: PrompterEvent
        switch header.kind {
        case promptKind:
            let question = try reader.uuid()
            guard let wish = Prompt.Wish(rawValue: try reader.byte()) else { throw MessageReader.malformed }
            let flags = try reader.flags(3)
            event = .prompt(
                Prompt(
                    question: question,
                    wish: wish,
                    asker: try reader.asker(),
                    wishes: try reader.wishes(),
                    biometryIsEnough: flags & 1 != 0,
                    isRepeated: flags & 2 != 0,
                    hint: try reader.optionalFingerHint()
                )
            )
        case withdrawalKind: event = .withdrawal(try reader.uuid())
        case lookKind: event = .look
        default: throw MessageReader.malformed
        }
        try reader.finish()
        return (header.uid, event)
    }
}
