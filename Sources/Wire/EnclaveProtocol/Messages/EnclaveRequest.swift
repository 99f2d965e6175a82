package import KeychainEnclave
package import KeychainModel

/// A question to the enclave.
package enum EnclaveRequest: Sendable {
    // MARK: The keychain service's

    case presence
    case create
    case serviceKeys
    case wrap([UnwrappedItemKey], with: ItemCredentials = .none)
    case unwrap([WrappedItemKey], with: ItemCredentials = .none)
    case rewrap([WrappedItemKey])
    case beginRotation(AuthorizationToken)
    case finishRotation(UInt64)
    case redeem(AuthorizationToken, for: GuardedOperation)
    case backupKey(ItemUUID)
    case sign(backupDigest: [UInt8])
    case backupSigner
    /// Is answered once the owner has; whoever closes the connection before that takes the question back.
    case ask(PresenceQuestion)
    case forget(PresenceProof)
    case presenceStatus
    case openContext([String])
    case closeContext(PresenceContextID)
    case makeKey(EnclaveKeyTemplate, with: ItemCredentials)
    case useKey(EnclaveKey, for: KeyUse, with: ItemCredentials)
    /// With a descriptor: the enclave's end of one more connection. It has no reply.
    case openChannel
    /// The service has dropped what a change took away. Its id is the event's, and it has no reply.
    case acknowledge
    /// The machine is about to sleep: every keychain locks whose settings say so, whichever user the message names.
    case sleep

    // MARK: Anybody's

    case state
    case lock
    case logOut

    // MARK: The owner's

    case unlock(SecretBytes)
    case changePasscode(from: SecretBytes?, to: SecretBytes?, with: AuthorizationToken? = nil)
    case confirmPasscode(SecretBytes, with: AuthorizationToken?)
    case verify(SecretBytes)
    case authorize(GuardedOperation, passcode: SecretBytes?)
    case change(LockSettings, passcode: SecretBytes?, with: AuthorizationToken? = nil)
    /// Prompts come over this connection from now on.
    case attend(PrompterAbilities)
    case answerPasscode(SecretBytes, to: ItemUUID)
    case answerPassword(SecretBytes, to: ItemUUID)
    case decline(ItemUUID, because: PresenceFailure, of: PrompterAbilities)

    // MARK: A trusted prompter's

    case matched(ItemUUID)
    case mismatched(ItemUUID)
    case hint(ItemUUID, FingerHint)
    case saw(BiometryState)

    // MARK: chatelaine-identify's

    case vouch(for: VouchedProgram, by: AskerVoucher)

    var kind: RequestKind {
        switch self {
        case .presence: .presence
        case .create: .create
        case .serviceKeys: .serviceKeys
        case .wrap: .wrap
        case .unwrap: .unwrap
        case .rewrap: .rewrap
        case .beginRotation: .beginRotation
        case .finishRotation: .finishRotation
        case .redeem: .redeem
        case .backupKey: .backupKey
        case .sign: .sign
        case .backupSigner: .backupSigner
        case .openChannel: .openChannel
        case .acknowledge: .acknowledge
        case .sleep: .sleep
        case .state: .state
        case .lock: .lock
        case .logOut: .logOut
        case .unlock: .unlock
        case .changePasscode(_, _, let token): token == nil ? .changePasscode : .changePasscodeWithToken
        case .confirmPasscode: .confirmPasscode
        case .verify: .verify
        case .authorize: .authorize
        case .change: .change
        case .ask: .ask
        case .forget: .forget
        case .presenceStatus: .presenceStatus
        case .openContext: .openContext
        case .closeContext: .closeContext
        case .makeKey: .makeKey
        case .useKey: .useKey
        case .attend: .attend
        case .answerPasscode: .answerPasscode
        case .answerPassword: .answerPassword
        case .decline: .decline
        case .matched: .matched
        case .mismatched: .mismatched
        case .hint: .hint
        case .saw: .saw
        case .vouch: .vouch
        }
    }
}

// MARK: - As bytes

extension EnclaveRequest {
    /// - Throws: `dataTooLarge` for more than a message can hold.
    package func encoded(id: UInt32, uid: UInt32) throws(KeychainError) -> [UInt8] {
        var writer = MessageWriter(kind: kind.rawValue, id: id, uid: uid, keys: keyCount)
        switch self {
        case .presence, .create, .serviceKeys, .backupSigner, .openChannel, .acknowledge, .sleep, .state, .lock,
            .logOut, .presenceStatus:
            break
        case .ask(let question): try writer.append(question)
        case .forget(let proof): writer.append(proof.bytes)
        case .openContext(let groups): try writer.append(groups: groups)
        case .closeContext(let context): writer.append(context.bytes)
        case .vouch(let program, let voucher): try writer.append(program, by: voucher)
        case .attend(let abilities): writer.append(abilities.rawValue)
        case .answerPasscode(let secret, let question), .answerPassword(let secret, let question):
            writer.append(question.bytes)
            try writer.append(secret)
        case .decline(let question, let failure, let abilities):
            writer.append(question.bytes)
            writer.append(failure.rawValue)
            writer.append(abilities.rawValue)
        case .matched(let question), .mismatched(let question): writer.append(question.bytes)
        case .hint(let question, let hint):
            writer.append(question.bytes)
            writer.append(hint.rawValue)
        case .saw(let sight):
            writer.append(sight.obstacle?.rawValue ?? 0)
            writer.append((sight.set == nil ? 0 : 1) as UInt8)
            if let set = sight.set { writer.append(set.bytes) }
        case .wrap(let keys, let credentials):
            writer.append(UInt16(clamping: keys.count))
            for key in keys {
                try writer.append(key.binding)
                try writer.append(key.key)
            }
            try writer.append(credentials)
        case .unwrap(let keys, let credentials):
            try writer.append(keys)
            try writer.append(credentials)
        case .rewrap(let keys): try writer.append(keys)
        case .makeKey(let template, let credentials):
            try writer.append(template)
            try writer.append(credentials)
        case .useKey(let key, let use, let credentials):
            try writer.append(short: key.bytes)
            try writer.append(use)
            try writer.append(credentials)
        case .beginRotation(let token): writer.append(token.bytes)
        case .finishRotation(let generation): writer.append(generation)
        case .redeem(let token, let operation):
            writer.append(operation.rawValue)
            writer.append(token.bytes)
        case .backupKey(let backup): writer.append(backup.bytes)
        case .sign(let digest): try writer.append(short: digest)
        case .unlock(let passcode), .verify(let passcode): try writer.append(passcode)
        case .changePasscode(let old, let new, let token):
            try writer.append(optional: old)
            try writer.append(optional: new)
            if let token { writer.append(token.bytes) }
        case .confirmPasscode(let passcode, let token):
            try writer.append(passcode)
            writer.append(optional: token)
        case .authorize(let operation, let passcode):
            writer.append(operation.rawValue)
            try writer.append(optional: passcode)
        case .change(let settings, let passcode, let token):
            writer.append(settings)
            try writer.append(optional: passcode)
            writer.append(optional: token)
        }
        return try writer.finish()
    }

    private var keyCount: Int {
        switch self {
        case .wrap(let keys, _): keys.count
        case .unwrap(let keys, _), .rewrap(let keys): keys.count
        default: 1
        }
    }

    /// - Throws: `invalidParameter` for anything that is no request.
    package static func decode(
        _ bytes: some Collection<UInt8>
    ) throws(KeychainError) -> (header: EnclaveMessage.Header, request: EnclaveRequest) {
        var reader = try MessageReader(bytes)
        let header = try reader.header()
        guard let kind = RequestKind(rawValue: header.kind) else { throw MessageReader.malformed }
        let request = try body(kind, &reader)
        try reader.finish()
        return (header, request)
    }

    private static func body(
        _ kind: RequestKind,
        _ reader: inout MessageReader
    ) throws(KeychainError) -> EnclaveRequest {
        switch kind {
        case .presence: .presence
        case .create: .create
        case .serviceKeys: .serviceKeys
        case .wrap:
            .wrap(
                try reader.list { (reader) throws(KeychainError) in
                    UnwrappedItemKey(binding: try reader.itemBinding(), key: try reader.key())
                },
                with: try reader.credentials()
            )
        case .unwrap: .unwrap(try reader.wrappedKeys(), with: try reader.credentials())
        case .rewrap: .rewrap(try reader.wrappedKeys())
        case .beginRotation: .beginRotation(try reader.token())
        case .finishRotation: .finishRotation(try reader.number())
        case .redeem:
            try redeem(&reader)
        case .backupKey: .backupKey(try reader.uuid())
        case .sign: .sign(backupDigest: try reader.short())
        case .backupSigner: .backupSigner
        case .openChannel: .openChannel
        case .acknowledge: .acknowledge
        case .sleep: .sleep
        case .state: .state
        case .lock: .lock
        case .logOut: .logOut
        case .unlock: .unlock(try reader.secret())
        case .changePasscode: .changePasscode(from: try reader.optionalSecret(), to: try reader.optionalSecret())
        case .changePasscodeWithToken:
            .changePasscode(
                from: try reader.optionalSecret(),
                to: try reader.optionalSecret(),
                with: try reader.token()
            )
        case .confirmPasscode: .confirmPasscode(try reader.secret(), with: try reader.optionalToken())
        case .verify: .verify(try reader.secret())
        case .authorize: .authorize(try reader.operation(), passcode: try reader.optionalSecret())
        case .change:
            .change(
                try reader.settings(),
                passcode: try reader.optionalSecret(),
                with: try reader.optionalToken()
            )
        case .ask: .ask(try reader.question())
        case .forget: .forget(try reader.proof())
        case .presenceStatus: .presenceStatus
        case .openContext: .openContext(try reader.groups())
        case .closeContext: .closeContext(try reader.contextID())
        case .makeKey: .makeKey(try reader.keyTemplate(), with: try reader.credentials())
        case .useKey:
            .useKey(try reader.enclaveKey(), for: try reader.keyUse(), with: try reader.credentials())
        case .attend: .attend(try reader.abilities())
        case .answerPasscode: try answerPasscode(&reader)
        case .answerPassword: try answerPassword(&reader)
        case .decline:
            .decline(try reader.uuid(), because: try reader.presenceFailure(), of: try reader.abilities())
        case .matched: .matched(try reader.uuid())
        case .mismatched: .mismatched(try reader.uuid())
        case .hint: .hint(try reader.uuid(), try reader.fingerHint())
        case .saw: .saw(try reader.biometrySight())
        case .vouch: try vouch(&reader)
        }
    }

    private static func answerPasscode(_ reader: inout MessageReader) throws(KeychainError) -> EnclaveRequest {
        let question = try reader.uuid()
        return .answerPasscode(try reader.secret(), to: question)
    }

    private static func answerPassword(_ reader: inout MessageReader) throws(KeychainError) -> EnclaveRequest {
        let question = try reader.uuid()
        return .answerPassword(try reader.secret(), to: question)
    }

    private static func vouch(_ reader: inout MessageReader) throws(KeychainError) -> EnclaveRequest {
        let voucher = try reader.voucher()
        return .vouch(for: try reader.vouchedProgram(), by: voucher)
    }

    private static func redeem(_ reader: inout MessageReader) throws(KeychainError) -> EnclaveRequest {
        let operation = try reader.operation()
        return .redeem(try reader.token(), for: operation)
    }
}
