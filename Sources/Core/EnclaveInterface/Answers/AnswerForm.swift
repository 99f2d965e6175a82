import Crypto
import KeychainModel

/// The form of an answer: its number in messages, and its bytes.
package struct AnswerForm<Value: Sendable>: Sendable {
    /// It never changes.
    let number: UInt8
    let write: @Sendable (Value, inout MessageWriter) throws(KeychainError) -> Void
    let read: @Sendable (inout MessageReader) throws(KeychainError) -> Value
    /// How many keys it brings, so that the message's memory has room from the start.
    let keyCount: @Sendable (Value) -> Int
    /// Replaces the enclave's state, where the answer has one.
    package let replaceState: @Sendable (inout Value, _ by: (EnclaveState) -> EnclaveState) -> Void

    fileprivate init(
        _ number: UInt8,
        keyCount: @escaping @Sendable (Value) -> Int = { _ in 1 },
        replaceState: @escaping @Sendable (inout Value, (EnclaveState) -> EnclaveState) -> Void = { _, _ in },
        _ write: @escaping @Sendable (Value, inout MessageWriter) throws(KeychainError) -> Void,
        read: @escaping @Sendable (inout MessageReader) throws(KeychainError) -> Value
    ) {
        self.number = number
        self.write = write
        self.read = read
        self.keyCount = keyCount
        self.replaceState = replaceState
    }
}

extension AnswerForm where Value == Void {
    static var nothing: Self {
        Self(128) { (_, _) throws(KeychainError) in
        } read: { (_) throws(KeychainError) in
        }
    }
}

extension AnswerForm where Value == EnclavePresence {
    static var presence: Self {
        Self(129) { (presence, writer) throws(KeychainError) in
            switch presence {
            case .none: writer.append(UInt8(0))
            case .complete: writer.append(UInt8(1))
            case .incomplete(let missing):
                writer.append(UInt8(2))
                writer.append(text: missing)
            }
        } read: { (reader) throws(KeychainError) in
            switch try reader.byte() {
            case 0: .none
            case 1: .complete
            case 2: .incomplete(missing: try reader.text())
            default: throw MessageReader.malformed
            }
        }
    }
}

extension AnswerForm where Value == EnclaveState {
    static var state: Self {
        Self(130, replaceState: { $0 = $1($0) }) { (state, writer) throws(KeychainError) in
            writer.append(state)
        } read: { (reader) throws(KeychainError) in
            try reader.state()
        }
    }
}

extension AnswerForm where Value == ServiceKeys {
    static var serviceKeys: Self {
        Self(131, keyCount: { _ in 8 }, replaceState: { $0.state = $1($0.state) }) {
            (keys, writer) throws(KeychainError) in
            writer.append(keys.state)
            try writer.append(keys.indexKey)
            writer.append(UInt8(clamping: keys.metadata.count))
            for (accessibility, metadata) in keys.metadata.sorted(by: { $0.key.code < $1.key.code }) {
                writer.append(accessibility.code)
                writer.append(UInt8(clamping: metadata.count))
                for key in metadata { try writer.append(key) }
            }
        } read: { (reader) throws(KeychainError) in
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
    }
}

extension AnswerForm where Value == [[UInt8]] {
    static var boxes: Self {
        Self(132, keyCount: \.count) { (boxes, writer) throws(KeychainError) in
            writer.append(UInt16(clamping: boxes.count))
            for box in boxes { try writer.append(short: box) }
        } read: { (reader) throws(KeychainError) in
            try reader.list { (reader) throws(KeychainError) in try reader.short() }
        }
    }
}

extension AnswerForm where Value == [[UInt8]?] {
    /// A missing box is written as an empty one.
    static var optionalBoxes: Self {
        let boxes = AnswerForm<[[UInt8]]>.boxes
        return Self(boxes.number, keyCount: \.count) { (optional, writer) throws(KeychainError) in
            try boxes.write(optional.map { $0 ?? [] }, &writer)
        } read: { (reader) throws(KeychainError) in
            try boxes.read(&reader).map { $0.isEmpty ? nil : $0 }
        }
    }
}

extension AnswerForm where Value == [Result<SymmetricKey, KeychainError>] {
    static var keys: Self {
        Self(133, keyCount: \.count) { (results, writer) throws(KeychainError) in
            writer.append(UInt16(clamping: results.count))
            for result in results {
                switch result {
                case .success(let key):
                    writer.append(UInt8(0))
                    try writer.append(key)
                case .failure(let error): writer.append(error.need.map(PresenceLack.number(of:)) ?? error.code.number)
                }
            }
        } read: { (reader) throws(KeychainError) in
            try reader.list { (reader) throws(KeychainError) in try itemKey(&reader) }
        }
    }

    private static func itemKey(
        _ reader: inout MessageReader
    ) throws(KeychainError) -> Result<SymmetricKey, KeychainError> {
        let number = try reader.byte()
        if number == 0 { return .success(try reader.key()) }
        // The request knows the demand.
        if let lack = PresenceLack(number: number) { return .failure(lack.error(items: [], .owner)) }
        guard let code = KeychainError.Code(number: number) else { throw MessageReader.malformed }
        // The sentences would be most of the message.
        let sentence =
            switch code {
            case .interactionNotAllowed: "the keychain is locked for this item, or its application password is missing"
            case .authenticationFailed: "the application password is wrong, or one has to wait after wrong ones"
            case .itemNotFound: "the item went with the fingers that were enrolled"
            case .notAvailable: "it cannot be determined which fingers are enrolled"
            default: KeychainError.damagedItemKey.message
            }
        let presence: KeychainError.Presence? = code == .notAvailable ? .failed(.noBiometry) : nil
        return .failure(KeychainError(code, sentence, presence: presence))
    }
}

extension AnswerForm where Value == SymmetricKey {
    static var key: Self {
        Self(134) { (key, writer) throws(KeychainError) in
            try writer.append(key)
        } read: { (reader) throws(KeychainError) in
            try reader.key()
        }
    }
}

extension AnswerForm where Value == [UInt8] {
    static var bytes: Self {
        Self(135) { (bytes, writer) throws(KeychainError) in
            try writer.append(short: bytes)
        } read: { (reader) throws(KeychainError) in
            try reader.short()
        }
    }
}

extension AnswerForm where Value == AuthorizationToken {
    static var token: Self {
        Self(136) { (token, writer) throws(KeychainError) in
            writer.append(token.bytes)
        } read: { (reader) throws(KeychainError) in
            try reader.token()
        }
    }
}

extension AnswerForm where Value == PresenceProof {
    static var proof: Self {
        Self(137) { (proof, writer) throws(KeychainError) in
            writer.append(proof.bytes)
        } read: { (reader) throws(KeychainError) in
            try reader.proof()
        }
    }
}

extension AnswerForm where Value == PromptAnswer {
    static var answer: Self {
        Self(138) { (answer, writer) throws(KeychainError) in
            writer.append(answer.number)
        } read: { (reader) throws(KeychainError) in
            guard let answer = PromptAnswer(number: try reader.byte()) else { throw MessageReader.malformed }
            return answer
        }
    }
}

extension AnswerForm where Value == PresenceStatus {
    static var presenceStatus: Self {
        Self(139) { (status, writer) throws(KeychainError) in
            try writer.append(status)
        } read: { (reader) throws(KeychainError) in
            try reader.presenceStatus()
        }
    }
}

extension AnswerForm where Value == EnclaveKey {
    /// A private key, sealed.
    static var enclaveKey: Self {
        Self(142) { (key, writer) throws(KeychainError) in
            try writer.append(short: key.bytes)
        } read: { (reader) throws(KeychainError) in
            try reader.enclaveKey()
        }
    }
}

extension AnswerForm where Value == Result<SecretBytes, KeychainError> {
    /// What a private key has done, or what its owner has to prove first.
    static var used: Self {
        Self(143) { (result, writer) throws(KeychainError) in
            switch result {
            case .success(let secret):
                writer.append(UInt8(0))
                try writer.append(secret, atMost: EnclaveMessage.largestResult)
            case .failure(let error):
                // All else that may fail is a failure as of any request.
                writer.append(error.need.map(PresenceLack.number(of:)) ?? PresenceLack.proof.rawValue)
            }
        } read: { (reader) throws(KeychainError) in
            let number = try reader.byte()
            if number == 0 { return .success(try reader.secret(atMost: EnclaveMessage.largestResult)) }
            guard let lack = PresenceLack(number: number) else { throw MessageReader.malformed }
            // The request knows the demand.
            return .failure(lack.error(items: [], .owner))
        }
    }
}

extension AnswerForm where Value == PresenceContextID {
    static var context: Self {
        Self(144) { (context, writer) throws(KeychainError) in
            writer.append(context.bytes)
        } read: { (reader) throws(KeychainError) in
            try reader.contextID()
        }
    }
}

extension AnswerForm where Value == SyncCeremonyState {
    static var ceremony: Self {
        Self(145) { (state, writer) throws(KeychainError) in
            writer.append(state.stage.rawValue)
            writer.append(text: state.digits)
        } read: { (reader) throws(KeychainError) in
            guard let stage = SyncCeremonyState.Stage(rawValue: try reader.byte()) else {
                throw MessageReader.malformed
            }
            return SyncCeremonyState(stage, digits: try reader.text())
        }
    }
}
