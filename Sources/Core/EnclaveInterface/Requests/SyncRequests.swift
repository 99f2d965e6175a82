package import Crypto
package import KeychainModel

// The keys of a device that belongs to a circle (docs/synchronization.md). What the bytes are, docs/formats/sync.md says, or
// docs/formats/enclave-messages.md.

/// The card of this device. Its keys are made where there are none.
package struct SyncCardRequest: BodilessRequest {
    package static let description = RequestDescription(
        36,
        from: .service,
        on: .passcodes(),
        isRepeatable: true,
        answer: .bytes
    )

    package init() {}

    package var takesTime: Bool { true }
}

/// Signs an entry or a head: what says something else, or what the owner has not allowed, is not signed.
package struct SyncSignRequest: EnclaveRequest {
    package static let description = RequestDescription(37, from: .service, on: .passcodes(), answer: .bytes)

    /// As `SyncStatement.Kind` has it.
    package let kind: UInt8
    package let statement: [UInt8]

    package init(_ kind: UInt8, _ statement: [UInt8]) {
        self.kind = kind
        self.statement = statement
    }

    package var takesTime: Bool { true }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        kind = try reader.byte()
        statement = try reader.short()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(kind)
        try writer.append(short: statement)
    }
}

/// Tells of an entry of the circle: who is a member, and who no longer is.
package struct SyncNoteRequest: EnclaveRequest {
    package static let description = RequestDescription(
        38,
        from: .service,
        on: .changes(),
        isRepeatable: true,
        answer: .nothing
    )

    package let entry: [UInt8]

    package init(_ entry: [UInt8]) {
        self.entry = entry
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { entry = try reader.short() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { try writer.append(short: entry) }
}

/// Begins an epoch.
package struct SyncBeginEpochRequest: EnclaveRequest {
    package static let description = RequestDescription(39, from: .service, on: .changes(), answer: .bytes)

    /// Of all members, at most as many as a list has.
    package let cards: [[UInt8]]
    /// Identifiers of epochs whose secrets are sealed under the new one.
    package let earlier: [[UInt8]]

    package init(for cards: [[UInt8]], earlier: [[UInt8]]) {
        self.cards = cards
        self.earlier = earlier
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        cards = try reader.list { (reader) throws(KeychainError) in try reader.short() }
        earlier = try reader.list { (reader) throws(KeychainError) in try reader.hash() }
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(list: cards) { (writer, card) throws(KeychainError) in try writer.append(short: card) }
        try writer.append(list: earlier) { (writer, epoch) throws(KeychainError) in try writer.append(hash: epoch) }
    }
}

/// Wraps the secrets of epochs for a member, or for somebody whom the owner has allowed to become one.
package struct SyncWrapRequest: EnclaveRequest {
    package static let description = RequestDescription(40, from: .service, on: .changes(), answer: .bytes)

    package let epochs: [[UInt8]]
    package let card: [UInt8]

    package init(_ epochs: [[UInt8]], for card: [UInt8]) {
        self.epochs = epochs
        self.card = card
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        epochs = try reader.list { (reader) throws(KeychainError) in try reader.hash() }
        card = try reader.short()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(list: epochs) { (writer, epoch) throws(KeychainError) in try writer.append(hash: epoch) }
        try writer.append(short: card)
    }
}

/// Keeps the secrets of epochs that were wrapped for this device, and those that are sealed under them.
package struct SyncUnwrapRequest: EnclaveRequest {
    package static let description = RequestDescription(
        41,
        from: .service,
        on: .changes(),
        isRepeatable: true,
        answer: .boxes
    )

    package let secrets: [UInt8]

    package init(_ secrets: [UInt8]) {
        self.secrets = secrets
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { secrets = try reader.short() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { try writer.append(short: secrets) }
}

/// The key of one box of a segment.
package struct SyncBoxKeyRequest: EnclaveRequest {
    package static let description = RequestDescription(
        42,
        from: .service,
        on: .changes(unlessQuick: true),
        isRepeatable: true,
        answer: .key
    )

    /// As `SyncTier` has it.
    package let tier: UInt8
    package let epoch: [UInt8]
    /// The hash of what the box is authenticated with.
    package let data: [UInt8]

    package init(_ tier: UInt8, in epoch: [UInt8], for data: [UInt8]) {
        self.tier = tier
        self.epoch = epoch
        self.data = data
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        tier = try reader.byte()
        epoch = try reader.hash()
        data = try reader.hash()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(tier)
        try writer.append(hash: epoch)
        try writer.append(hash: data)
    }
}

/// The code of a digest of items.
package struct SyncCodeRequest: EnclaveRequest {
    package static let description = RequestDescription(
        43,
        from: .service,
        on: .changes(unlessQuick: true),
        isRepeatable: true,
        answer: .bytes
    )

    package let digest: [UInt8]
    package let epoch: [UInt8]

    package init(of digest: [UInt8], in epoch: [UInt8]) {
        self.digest = digest
        self.epoch = epoch
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        digest = try reader.hash()
        epoch = try reader.hash()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(hash: digest)
        try writer.append(hash: epoch)
    }
}

/// Brings a message of a ceremony in which a device is added, and gets the one that answers it.
package struct SyncCeremonyRequest: EnclaveRequest {
    package static let description = RequestDescription(44, from: .service, on: .passcodes(), answer: .bytes)

    package let step: SyncCeremonyStep
    package let message: [UInt8]

    package init(_ step: SyncCeremonyStep, _ message: [UInt8] = []) {
        self.step = step
        self.message = message
    }

    package var takesTime: Bool { true }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        guard let step = SyncCeremonyStep(rawValue: try reader.byte()) else { throw MessageReader.malformed }
        self.step = step
        message = try reader.short()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(step.rawValue)
        try writer.append(short: message)
    }
}

/// What a message of a ceremony is, and where.
package enum SyncCeremonyStep: UInt8, Sendable, CaseIterable {
    /// At the newcomer, without a message. The answer is the request (1).
    case begin = 0
    /// At a member, the request (1) and a draft of the answer, as fields. The answer is the answer (2), with a nonce.
    case request = 1
    /// At the newcomer, the answer (2). The answer is what it reveals (3).
    case answer = 2
    /// At the member, what the newcomer reveals (3).
    case reveal = 3
    /// At the newcomer, without a message, once the owner has typed digits. The answer is its consent (4).
    case fetchConsent = 4
    /// At the member, the newcomer's consent (4).
    case consent = 5
}

/// How far a ceremony is.
package struct SyncCeremonyState: Sendable, Equatable {
    package enum Stage: UInt8, Sendable, CaseIterable {
        case none = 0
        /// This device has asked for being added.
        case requested = 1
        /// It shows its digits, and waits for those that the member shows.
        case showing = 2
        case consented = 3
        /// This device adds another one, and has answered it.
        case answered = 4
        /// It waits for the digits that the newcomer shows.
        case waiting = 5
        /// They were typed. It shows its own.
        case typed = 6
        /// The newcomer has consented. It can be added.
        case allowed = 7
    }

    package let stage: Stage
    /// What this device shows: six, or none.
    package let digits: String

    package init(_ stage: Stage, digits: String = "") {
        self.stage = stage
        self.digits = digits
    }
}

/// Asks how far a ceremony is.
package struct CeremonyStateRequest: EnclaveRequest {
    package static let description = RequestDescription(81, from: .owner, on: .changes(), answer: .ceremony)

    /// Whether it is over, so that another one can begin.
    package let ends: Bool

    package init(ends: Bool) {
        self.ends = ends
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { ends = try reader.flags(1) != 0 }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { writer.append(ends ? 1 as UInt8 : 0) }
}

extension EnclaveControl {
    /// How far the ceremony is in which a device is added.
    ///
    /// - Parameter ending: whether it is over then.
    package func ceremony(ending: Bool = false) throws(KeychainError) -> SyncCeremonyState {
        try answer(CeremonyStateRequest(ends: ending))
    }
}

/// The digits that the owner reads on the other device.
package struct TypeDigitsRequest: EnclaveRequest {
    package static let description = RequestDescription(82, from: .owner, on: .passcodes(), answer: .ceremony)

    package let digits: SecretBytes
    package let token: AuthorizationToken

    package init(_ digits: SecretBytes, with token: AuthorizationToken) {
        self.digits = digits
        self.token = token
    }

    package var takesTime: Bool { true }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        digits = try reader.secret()
        token = try reader.token()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(digits)
        writer.append(token.bytes)
    }
}

extension EnclaveControl {
    /// Types the digits that the other device shows. The keychain service cannot do that: it knows them.
    ///
    /// - Parameter token: for `synchronize`.
    /// - Throws: `authenticationFailed` for wrong digits, after which the ceremony is over, and without the token;
    ///   `itemNotFound` where no ceremony waits for digits.
    package func type(
        digits: SecretBytes,
        with token: AuthorizationToken
    ) throws(KeychainError) -> SyncCeremonyState {
        try answer(TypeDigitsRequest(digits, with: token))
    }
}

/// Lets the service do once what changes who belongs to the circle.
package struct AllowSyncRequest: EnclaveRequest {
    package static let description = RequestDescription(83, from: .owner, on: .passcodes(), answer: .nothing)

    package let change: SyncChange
    package let token: AuthorizationToken

    package init(_ change: SyncChange, with token: AuthorizationToken) {
        self.change = change
        self.token = token
    }

    package var takesTime: Bool { true }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        change =
            switch try reader.byte() {
            case 1: .found
            case 2: .remove(try reader.hash())
            case 3: .addRecoveryKey(card: try reader.short(), consent: try reader.short())
            case 4: .forget
            default: throw MessageReader.malformed
            }
        token = try reader.token()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        switch change {
        case .found: writer.append(UInt8(1))
        case .remove(let device):
            writer.append(UInt8(2))
            try writer.append(hash: device)
        case .addRecoveryKey(let card, let consent):
            writer.append(UInt8(3))
            try writer.append(short: card)
            try writer.append(short: consent)
        case .forget: writer.append(UInt8(4))
        }
        writer.append(token.bytes)
    }
}

/// What the owner has to allow.
package enum SyncChange: Sendable, Equatable {
    /// This device founds a circle.
    case found
    /// A device, or a recovery key, is removed. Its identifier has 32 bytes.
    case remove([UInt8])
    /// A recovery key becomes a member.
    case addRecoveryKey(card: [UInt8], consent: [UInt8])
    /// This device forgets its circle and its keys. The others are not told.
    case forget
}

extension EnclaveControl {
    /// Allows one change, for two minutes.
    ///
    /// - Parameter token: for `synchronize`.
    /// - Throws: `authenticationFailed` without the token; `duplicateItem` where this device belongs to a circle and would
    ///   found one, `itemNotFound` where it belongs to none; `invalidParameter` for no recovery key of this circle.
    package func allow(_ change: SyncChange, with token: AuthorizationToken) throws(KeychainError) {
        try answer(AllowSyncRequest(change, with: token))
    }
}

extension MessageReader {
    /// 32 bytes that are no key.
    fileprivate mutating func hash() throws(KeychainError) -> [UInt8] { Array(try take(32)) }
}

extension MessageWriter {
    fileprivate mutating func append(hash: [UInt8]) throws(KeychainError) {
        guard hash.count == 32 else { throw MessageReader.malformed }
        append(hash)
    }

    fileprivate mutating func append<Element>(
        list: [Element],
        _ element: (inout MessageWriter, Element) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        guard list.count <= EnclaveMessage.mostKeys else { throw MessageWriter.tooLarge }
        append(UInt16(clamping: list.count))
        for value in list { try element(&self, value) }
    }
}
