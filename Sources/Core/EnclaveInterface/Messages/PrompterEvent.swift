package import KeychainModel

/// What the enclave tells a prompter.
package enum PrompterEvent: Sendable, Hashable {
    case prompt(Prompt)
    case withdrawal(ItemUUID)
    /// The prompter has to report what the reader of a factor sees of the owner's.
    case stateRequest(PresenceFactors)

    /// - Parameter uid: whose keychain it is about.
    package func encoded(uid: UInt32) throws(KeychainError) -> [UInt8] {
        switch self {
        case .prompt(let prompt):
            var writer = MessageWriter(kind: promptKind, id: 0, uid: uid)
            writer.append(prompt.question.bytes)
            writer.append(prompt.wish.number)
            writer.append(prompt.flags)
            try writer.append(prompt.asker)
            try writer.append(groups: prompt.groups)
            try writer.append(prompt.wishes)
            writer.append(prompt.hint?.rawValue ?? 0)
            return try writer.finish()
        case .withdrawal(let question):
            var writer = MessageWriter(kind: withdrawalKind, id: 0, uid: uid)
            writer.append(question.bytes)
            return try writer.finish()
        case .stateRequest(let factor):
            var writer = MessageWriter(kind: stateRequestKind, id: 0, uid: uid)
            writer.append(factor.rawValue)
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
            guard let wish = Prompt.Wish(number: try reader.byte()) else { throw MessageReader.malformed }
            let flags = try reader.byte()
            guard let readable = Prompt.readable(flags) else { throw MessageReader.malformed }
            event = .prompt(
                Prompt(
                    question: question,
                    wish: wish,
                    asker: try reader.asker(),
                    groups: try reader.groups(),
                    isForView: flags & 128 != 0,
                    wishes: try reader.wishes(),
                    readable: readable,
                    isRepeated: flags & 2 != 0,
                    unlocks: flags & 4 != 0,
                    hint: try reader.optionalReaderHint()
                )
            )
        case withdrawalKind: event = .withdrawal(try reader.uuid())
        case stateRequestKind: event = .stateRequest(try reader.readFactor())
        default: throw MessageReader.malformed
        }
        try reader.finish()
        return (header.uid, event)
    }
}

extension Prompt.Wish {
    /// The passcode and a finger had numbers before there could be others.
    fileprivate var number: UInt8 {
        switch self {
        case .proof(.passcode): 1
        case .password: 2
        case .newPassword: 3
        case .notice: 4
        case .proof(.biometry): 5
        case .proof(let factor): 128 | factor.rawValue
        }
    }

    fileprivate init?(number: UInt8) {
        let others: [Prompt.Wish] = [.password, .newPassword, .notice]
        let all = others + PresenceFactors.all.each.map { .proof($0) }
        guard let wish = all.first(where: { $0.number == number }) else { return nil }
        self = wish
    }
}

extension Prompt {
    private static let finger: UInt8 = 1
    private static let repeated: UInt8 = 2
    private static let unlocking: UInt8 = 4
    private static let forView: UInt8 = 128

    /// A finger had its place before there could be others; a factor after it stands at twice its number.
    fileprivate var flags: UInt8 {
        (readable.contains(.biometry) ? Self.finger : 0) | (isRepeated ? Self.repeated : 0)
            | (unlocks ? Self.unlocking : 0) | (isForView ? Self.forView : 0)
            | readable.subtracting([.passcode, .biometry]).rawValue << 1
    }

    /// - Returns: nil for flags that are unknown here.
    fileprivate static func readable(_ flags: UInt8) -> PresenceFactors? {
        let others = PresenceFactors(rawValue: (flags & ~(finger | repeated | unlocking | forView)) >> 1)
        guard PresenceFactors.all.isSuperset(of: others) else { return nil }
        return flags & finger == 0 ? others : others.union(.biometry)
    }
}
