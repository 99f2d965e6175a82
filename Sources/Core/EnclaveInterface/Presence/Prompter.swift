package import KeychainModel

/// Asks the owner: shows a prompt, and brings the answer to the desk.
package protocol Prompter: Sendable {
    /// Shows a prompt. It returns at once.
    func show(_ prompt: Prompt)

    /// Takes a prompt away that is still shown. It returns at once.
    func withdraw(_ question: ItemUUID)

    /// Asks for a new report of what a reader sees (`take`). It returns at once. Only prompters that read the factor
    /// are asked.
    func report(_ factor: PresenceFactors)
}

extension Prompter {
    package func report(_ factor: PresenceFactors) {}
}

/// What a prompter can bring.
package struct PrompterAbilities: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What is typed: the passcode, an application password, and a no.
    package static let typing = PrompterAbilities(rawValue: 1 << 0)
    /// Fingers that were read.
    package static let biometry = reading(.biometry)

    /// A factor that a reader reads. Only a prompter that is trusted has it.
    package static func reading(_ factor: PresenceFactors) -> PrompterAbilities {
        PrompterAbilities(rawValue: factor.subtracting(.passcode).rawValue)
    }

    package static let all = typing.union(.reading(.all))
}

/// A request to one prompter for one answer of a person.
package struct Prompt: Sendable, Hashable {
    package enum Wish: Sendable, Hashable {
        /// A factor: its secret is typed, or a reader reads it.
        case proof(PresenceFactors)
        /// An application password.
        case password
        /// An application password that is typed twice.
        case newPassword
        /// Nothing that is typed: the person is told what a reader waits for, and may say no.
        case notice

        package static let passcode = Wish.proof(.passcode)
    }

    /// Names the question. Only the prompters that were shown it know the name.
    package let question: ItemUUID
    package let wish: Wish
    package let asker: AskerDescription
    /// The access groups that the proof will be good for; one that ends in an asterisk stands for all that begin so.
    /// None where a question is about no item.
    package let groups: [String]
    /// Whether the proof will be good for seeing which items there are, of all groups.
    package let isForView: Bool
    package let wishes: PromptWishes
    /// What a reader may read instead.
    package let readable: PresenceFactors
    /// Whether what was given last was wrong.
    package let isRepeated: Bool
    /// Whether the keychain is locked, so that the passcode unlocks it as well.
    package let unlocks: Bool
    /// What a reader has said last.
    package let hint: ReaderHint?

    package init(
        question: ItemUUID,
        wish: Wish,
        asker: AskerDescription,
        groups: [String],
        isForView: Bool = false,
        wishes: PromptWishes,
        readable: PresenceFactors,
        isRepeated: Bool,
        unlocks: Bool = false,
        hint: ReaderHint? = nil
    ) {
        self.question = question
        self.wish = wish
        self.asker = asker
        self.groups = Array(groups.prefix(PresenceScope.mostGroups).map { $0.prefix(utf8Bytes: Asker.longestName) })
        self.isForView = isForView
        self.wishes = wishes
        self.readable = readable
        self.isRepeated = isRepeated
        self.unlocks = unlocks
        self.hint = hint
    }
}

/// What became of something that a person gave.
package enum PromptAnswer: Sendable, Hashable {
    /// It was right; if more is wanted, another prompt comes.
    case accepted
    /// It was wrong, and the person may try once more.
    case wrong
    /// The question is over: answered, taken back, or failed.
    case over
}

/// Where prompters bring what people give.
package protocol PromptDesk: Sendable {
    /// Verifies a passcode, or the secret of another factor that the prompt asks for.
    ///
    /// - Throws: what the verification fails with, other than that the secret is wrong; the question is over then.
    func answer(_ id: ItemUUID, typed secret: SecretBytes) throws(KeychainError) -> PromptAnswer

    /// Brings an application password. Whether it is right, only the item can tell.
    ///
    /// - Throws: `invalidParameter` for one that no item can have.
    func answer(_ id: ItemUUID, password: SecretBytes) throws(KeychainError) -> PromptAnswer

    /// The person said no, or cannot be asked by this prompter.
    ///
    /// - Parameter abilities: what this prompter was asked for.
    func decline(
        _ id: ItemUUID,
        because failure: PresenceFailure,
        of abilities: PrompterAbilities
    ) throws(KeychainError)
}

/// A desk in this process.
package protocol RegisteringDesk: PromptDesk, AnyObject {
    /// Has a prompter show what the owner is asked.
    ///
    /// - Returns: a number for its end.
    func register(_ prompter: any Prompter, for abilities: PrompterAbilities) -> Int
}

/// Where a prompter that is trusted brings what it reads.
package protocol ReaderDesk: PromptDesk {
    /// Something was read that is enrolled, such as a finger.
    func matched(_ id: ItemUUID, by factor: PresenceFactors) throws(KeychainError) -> PromptAnswer

    /// Something was read that is not enrolled.
    func mismatched(_ id: ItemUUID, by factor: PresenceFactors) throws(KeychainError) -> PromptAnswer

    /// The reader wants the person told something.
    func hint(_ id: ItemUUID, _ hint: ReaderHint, by factor: PresenceFactors) throws(KeychainError)

    func take(_ state: ReaderState, of factor: PresenceFactors) throws(KeychainError)
}
