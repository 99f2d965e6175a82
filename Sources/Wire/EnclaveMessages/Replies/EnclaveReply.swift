package import Crypto
package import KeychainEnclave
package import KeychainModel

/// The enclave's answer.
package enum EnclaveReply: Sendable {
    case done
    case presence(EnclavePresence)
    case state(EnclaveState)
    case serviceKeys(ServiceKeys)
    case boxes([[UInt8]])
    case keys([Result<SymmetricKey, KeychainError>])
    case key(SymmetricKey)
    case bytes([UInt8])
    case token(AuthorizationToken)
    case proof(PresenceProof)
    case answer(PromptAnswer)
    case presenceStatus(PresenceStatus)
    case enclaveKey(EnclaveKey)
    case used(Result<SecretBytes, KeychainError>)
    case context(PresenceContextID)
    case failure(KeychainError)
}

// MARK: - As bytes

extension EnclaveReply {
    /// - Throws: `dataTooLarge` for more than a message can hold.
    package func encoded(id: UInt32, uid: UInt32) throws(KeychainError) -> [UInt8] {
        var writer = MessageWriter(kind: kind.rawValue, id: id, uid: uid, keys: keyCount)
        switch self {
        case .done: break
        case .presence(let presence):
            switch presence {
            case .none: writer.append(UInt8(0))
            case .complete: writer.append(UInt8(1))
            case .incomplete(let missing):
                writer.append(UInt8(2))
                writer.append(text: missing)
            }
        case .state(let state): writer.append(state)
        case .serviceKeys(let keys):
            writer.append(keys.state)
            try writer.append(keys.indexKey)
            writer.append(UInt8(clamping: keys.metadata.count))
            for (accessibility, metadata) in keys.metadata.sorted(by: { $0.key.code < $1.key.code }) {
                writer.append(accessibility.code)
                writer.append(UInt8(clamping: metadata.count))
                for key in metadata { try writer.append(key) }
            }
        case .boxes(let boxes):
            writer.append(UInt16(clamping: boxes.count))
            for box in boxes { try writer.append(short: box) }
        case .keys(let results):
            writer.append(UInt16(clamping: results.count))
            for result in results {
                switch result {
                case .success(let key):
                    writer.append(UInt8(0))
                    try writer.append(key)
                case .failure(let error): writer.append(error.need.map(PresenceLack.number(of:)) ?? error.code.number)
                }
            }
        case .key(let key): try writer.append(key)
        case .bytes(let bytes): try writer.append(short: bytes)
        case .token(let token): writer.append(token.bytes)
        case .proof(let proof): writer.append(proof.bytes)
        case .answer(let answer): writer.append(answer.number)
        case .presenceStatus(let status): try writer.append(status)
        case .enclaveKey(let key): try writer.append(short: key.bytes)
        case .context(let context): writer.append(context.bytes)
        case .used(.success(let secret)):
            writer.append(UInt8(0))
            try writer.append(secret, atMost: EnclaveMessage.largestResult)
        case .used(.failure(let error)):
            // All else that may fail is a failure as of any request.
            writer.append(error.need.map(PresenceLack.number(of:)) ?? PresenceLack.proof.rawValue)
        case .failure(let error):
            switch error.presence {
            case .failed(let failure): writer.append(failure.rawValue)
            case .needed: break
            case nil:
                writer.append(error.code.number)
                writer.append(text: error.message)
            }
        }
        return try writer.finish()
    }

    private var keyCount: Int {
        switch self {
        case .keys(let keys): keys.count
        case .boxes(let boxes): boxes.count
        case .serviceKeys: 8
        default: 1
        }
    }

    private var kind: ReplyKind {
        switch self {
        case .done: .done
        case .presence: .presence
        case .state: .state
        case .serviceKeys: .serviceKeys
        case .boxes: .boxes
        case .keys: .keys
        case .key: .key
        case .bytes: .bytes
        case .token: .token
        case .proof: .proof
        case .answer: .answer
        case .presenceStatus: .presenceStatus
        case .enclaveKey: .enclaveKey
        case .used: .used
        case .context: .context
        case .failure(let error):
            switch error.presence {
            case .failed: .unproved
            case .needed: .passwordNeeded
            case nil: .failure
            }
        }
    }

    /// - Throws: `notAvailable` for anything that is no reply.
    package static func decode(
        _ bytes: some Collection<UInt8>
    ) throws(KeychainError) -> (header: EnclaveMessage.Header, reply: EnclaveReply) {
        do throws(KeychainError) {
            var reader = try MessageReader(bytes)
            let header = try reader.header()
            guard let kind = ReplyKind(rawValue: header.kind) else { throw MessageReader.malformed }
            let reply = try body(kind, &reader)
            try reader.finish()
            return (header, reply)
        } catch {
            throw KeychainError(.notAvailable, "the enclave gave no answer that can be understood")
        }
    }

    private static func body(_ kind: ReplyKind, _ reader: inout MessageReader) throws(KeychainError) -> EnclaveReply {
        switch kind {
        case .done: .done
        case .presence: .presence(try presence(&reader))
        case .state: .state(try reader.state())
        case .serviceKeys: .serviceKeys(try serviceKeys(&reader))
        case .boxes: .boxes(try reader.list { (reader) throws(KeychainError) in try reader.short() })
        case .keys: .keys(try reader.list { (reader) throws(KeychainError) in try itemKey(&reader) })
        case .key: .key(try reader.key())
        case .bytes: .bytes(try reader.short())
        case .token: .token(try reader.token())
        case .proof: .proof(try reader.proof())
        case .answer: .answer(try answer(&reader))
        case .presenceStatus: .presenceStatus(try reader.presenceStatus())
        case .enclaveKey: .enclaveKey(try reader.enclaveKey())
        case .used: .used(try used(&reader))
        case .context: .context(try reader.contextID())
        case .unproved: .failure(try reader.presenceFailure().error)
        case .passwordNeeded: .failure(PresenceLack.newPassword)
        case .failure: .failure(try failure(&reader))
        }
    }

    private static func used(
        _ reader: inout MessageReader
    ) throws(KeychainError) -> Result<SecretBytes, KeychainError> {
        let number = try reader.byte()
        if number == 0 { return .success(try reader.secret(atMost: EnclaveMessage.largestResult)) }
        guard let lack = PresenceLack(number: number) else { throw MessageReader.malformed }
        // Whoever asked knows the demand.
        return .failure(lack.error(items: [], .owner))
    }

    private static func answer(_ reader: inout MessageReader) throws(KeychainError) -> PromptAnswer {
        guard let answer = PromptAnswer(number: try reader.byte()) else { throw MessageReader.malformed }
        return answer
    }

    private static func presence(_ reader: inout MessageReader) throws(KeychainError) -> EnclavePresence {
        switch try reader.byte() {
        case 0: .none
        case 1: .complete
        case 2: .incomplete(missing: try reader.text())
        default: throw MessageReader.malformed
        }
    }

    private static func serviceKeys(_ reader: inout MessageReader) throws(KeychainError) -> ServiceKeys {
        let state = try reader.state()
        let indexKey = try reader.key()
        var metadata: [Accessibility: [SymmetricKey]] = [:]
        var last: UInt8 = 0
        for _ in 0..<(try reader.byte()) {
            let code = try reader.byte()
            guard code > last, let accessibility = Accessibility(code: code) else { throw MessageReader.malformed }
            last = code
            var keys: [SymmetricKey] = []
            for _ in 0..<(try reader.byte()) { keys.append(try reader.key()) }
            metadata[accessibility] = keys
        }
        return ServiceKeys(state: state, indexKey: indexKey, metadata: metadata)
    }

    private static func itemKey(
        _ reader: inout MessageReader
    ) throws(KeychainError) -> Result<SymmetricKey, KeychainError> {
        let number = try reader.byte()
        if number == 0 { return .success(try reader.key()) }
        // Whoever asked knows the demand.
        if let lack = PresenceLack(number: number) { return .failure(lack.error(items: [], .owner)) }
        guard let code = KeychainError.Code(number: number) else { throw MessageReader.malformed }
        // The sentences would be most of the message.
        let sentence =
            switch code {
            case .interactionNotAllowed: "the keychain is locked for this item, or its application password is missing"
            case .authenticationFailed: "the application password is wrong, or one has to wait after wrong ones"
            case .itemNotFound: "the item went with the fingers that were enrolled"
            case .notAvailable: "it cannot be determined which fingers are enrolled"
            default: "an item's key is not as it was wrapped"
            }
        let presence: KeychainError.Presence? = code == .notAvailable ? .failed(.noBiometry) : nil
        return .failure(KeychainError(code, sentence, presence: presence))
    }

    private static func failure(_ reader: inout MessageReader) throws(KeychainError) -> KeychainError {
        guard let code = KeychainError.Code(number: try reader.byte()) else { throw MessageReader.malformed }
        return KeychainError(code, try reader.text())
    }
}

/// What the enclave tells the keychain service in the middle of a change.
package struct EnclaveEvent: Sendable, Equatable {
    /// For the acknowledgement.
    package let id: UInt32
    package let uid: UInt32
    package let state: EnclaveState

    package init(id: UInt32, uid: UInt32, state: EnclaveState) {
        self.id = id
        self.uid = uid
        self.state = state
    }

    package func encoded() throws(KeychainError) -> [UInt8] {
        var writer = MessageWriter(kind: stateChangedKind, id: id, uid: uid)
        writer.append(state)
        return try writer.finish()
    }

    /// - Throws: `invalidParameter` for anything that is no event.
    package init(_ bytes: some Collection<UInt8>) throws(KeychainError) {
        var reader = try MessageReader(bytes)
        let header = try reader.header()
        guard header.kind == stateChangedKind else { throw MessageReader.malformed }
        id = header.id
        uid = header.uid
        state = try reader.state()
        try reader.finish()
    }
}
