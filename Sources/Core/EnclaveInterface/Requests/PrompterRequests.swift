package import KeychainModel

// What prompters send. An owner's program may be one; only the trusted prompter reads factors, such as fingers.

/// Prompts come over this connection from now on.
package struct RegisterPrompterRequest: EnclaveRequest {
    package static let description = RequestDescription(
        72,
        from: [.owner, .trustedPrompter],
        on: .loop,
        answer: .nothing
    )

    package let abilities: PrompterAbilities

    package init(_ abilities: PrompterAbilities) {
        self.abilities = abilities
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { abilities = try reader.abilities() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { writer.append(abilities.rawValue) }
}

/// The owner has typed the passcode at a prompt.
package struct AnswerPasscodeRequest: EnclaveRequest {
    package static let description = RequestDescription(
        73,
        from: [.owner, .trustedPrompter],
        on: .passcodes(),
        answer: .answer
    )

    package let passcode: SecretBytes
    package let question: ItemUUID

    package init(_ passcode: SecretBytes, to question: ItemUUID) {
        self.passcode = passcode
        self.question = question
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        question = try reader.uuid()
        passcode = try reader.secret()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(question.bytes)
        try writer.append(passcode)
    }
}

/// The owner has typed an application password at a prompt.
package struct AnswerPasswordRequest: EnclaveRequest {
    package static let description = RequestDescription(
        74,
        from: [.owner, .trustedPrompter],
        on: .changes(),
        answer: .answer
    )

    package let password: SecretBytes
    package let question: ItemUUID

    package init(_ password: SecretBytes, to question: ItemUUID) {
        self.password = password
        self.question = question
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        question = try reader.uuid()
        password = try reader.secret()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(question.bytes)
        try writer.append(password)
    }
}

/// The owner has declined, or cannot be asked by what the prompter can do.
package struct DeclineRequest: EnclaveRequest {
    package static let description = RequestDescription(
        75,
        from: [.owner, .trustedPrompter],
        on: .changes(),
        answer: .nothing
    )

    package let question: ItemUUID
    package let failure: PresenceFailure
    package let abilities: PrompterAbilities

    package init(_ question: ItemUUID, because failure: PresenceFailure, of abilities: PrompterAbilities) {
        self.question = question
        self.failure = failure
        self.abilities = abilities
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        question = try reader.uuid()
        failure = try reader.presenceFailure()
        abilities = try reader.abilities()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(question.bytes)
        writer.append(failure.rawValue)
        writer.append(abilities.rawValue)
    }
}

// MARK: - The trusted prompter's alone

/// What was read for a question is enrolled.
package struct MatchedRequest: EnclaveRequest {
    package static let description = RequestDescription(96, from: .trustedPrompter, on: .changes(), answer: .answer)

    package let question: ItemUUID
    package let factor: PresenceFactors

    package init(_ question: ItemUUID, by factor: PresenceFactors) {
        self.question = question
        self.factor = factor
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        question = try reader.uuid()
        factor = try reader.readFactor()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(question.bytes)
        writer.append(factor.rawValue)
    }
}

/// What was read for a question is not enrolled.
package struct MismatchedRequest: EnclaveRequest {
    package static let description = RequestDescription(97, from: .trustedPrompter, on: .changes(), answer: .answer)

    package let question: ItemUUID
    package let factor: PresenceFactors

    package init(_ question: ItemUUID, by factor: PresenceFactors) {
        self.question = question
        self.factor = factor
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        question = try reader.uuid()
        factor = try reader.readFactor()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(question.bytes)
        writer.append(factor.rawValue)
    }
}

/// What a reader wants of the person, such as another try.
package struct ReaderHintRequest: EnclaveRequest {
    package static let description = RequestDescription(98, from: .trustedPrompter, on: .loop, answer: .nothing)

    package let question: ItemUUID
    package let factor: PresenceFactors
    package let hint: ReaderHint

    package init(_ question: ItemUUID, _ hint: ReaderHint, by factor: PresenceFactors) {
        self.question = question
        self.factor = factor
        self.hint = hint
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        question = try reader.uuid()
        factor = try reader.readFactor()
        hint = try reader.readerHint()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(question.bytes)
        writer.append(factor.rawValue)
        writer.append(hint.rawValue)
    }
}

/// What is enrolled for a factor, or why that cannot be told.
package struct ReaderStateRequest: EnclaveRequest {
    package static let description = RequestDescription(99, from: .trustedPrompter, on: .loop, answer: .nothing)

    package let factor: PresenceFactors
    package let state: ReaderState

    package init(_ state: ReaderState, of factor: PresenceFactors) {
        self.factor = factor
        self.state = state
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        factor = try reader.readFactor()
        state = try reader.readerState()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(factor.rawValue)
        writer.append(state.obstacle?.rawValue ?? 0)
        writer.append((state.set == nil ? 0 : 1) as UInt8)
        if let set = state.set { writer.append(set.bytes) }
    }
}
