package import KeychainModel

/// What the enclave tells a prompter.
package enum PrompterEvent: Sendable, Hashable {
    case prompt(Prompt)
    case withdrawal(ItemUUID)
    /// The prompter has to report which of the owner's fingers are enrolled.
    case biometryRequest

    /// - Parameter uid: whose keychain it is about.
    package func encoded(uid: UInt32) throws(KeychainError) -> [UInt8] {
        switch self {
        case .prompt(let prompt):
            var writer = MessageWriter(kind: promptKind, id: 0, uid: uid)
            writer.append(prompt.question.bytes)
            writer.append(prompt.wish.rawValue)
            let flags = [prompt.biometryIsEnough, prompt.isRepeated, prompt.unlocks].enumerated()
            writer.append(flags.reduce(0 as UInt8) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
            try writer.append(prompt.asker)
            try writer.append(groups: prompt.groups)
            try writer.append(prompt.wishes)
            writer.append(prompt.hint?.rawValue ?? 0)
            return try writer.finish()
        case .withdrawal(let question):
            var writer = MessageWriter(kind: withdrawalKind, id: 0, uid: uid)
            writer.append(question.bytes)
            return try writer.finish()
        case .biometryRequest:
            let writer = MessageWriter(kind: biometryRequestKind, id: 0, uid: uid)
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
            let flags = try reader.flags(7)
            event = .prompt(
                Prompt(
                    question: question,
                    wish: wish,
                    asker: try reader.asker(),
                    groups: try reader.groups(),
                    wishes: try reader.wishes(),
                    biometryIsEnough: flags & 1 != 0,
                    isRepeated: flags & 2 != 0,
                    unlocks: flags & 4 != 0,
                    hint: try reader.optionalFingerHint()
                )
            )
        case withdrawalKind: event = .withdrawal(try reader.uuid())
        case biometryRequestKind: event = .biometryRequest
        default: throw MessageReader.malformed
        }
        try reader.finish()
        return (header.uid, event)
    }
}
