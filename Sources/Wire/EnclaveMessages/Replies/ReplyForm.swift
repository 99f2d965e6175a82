import Crypto
import KeychainEnclave
import KeychainModel

/// The kind of reply that brings a request's answer.
package struct ReplyForm<Value: Sendable>: Sendable {
    package let reply: @Sendable (Value) -> EnclaveReply
    /// Nil for a reply of another kind.
    package let value: @Sendable (EnclaveReply) -> Value?
}

extension ReplyForm where Value == Void {
    static var nothing: Self {
        Self { _ in
            .done
        } value: {
            if case .done = $0 { () } else { nil }
        }
    }
}

extension ReplyForm where Value == EnclavePresence {
    static var presence: Self {
        Self {
            .presence($0)
        } value: {
            if case .presence(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == EnclaveState {
    static var state: Self {
        Self {
            .state($0)
        } value: {
            if case .state(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == ServiceKeys {
    static var serviceKeys: Self {
        Self {
            .serviceKeys($0)
        } value: {
            if case .serviceKeys(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == [[UInt8]] {
    static var boxes: Self {
        Self {
            .boxes($0)
        } value: {
            if case .boxes(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == [Result<SymmetricKey, KeychainError>] {
    static var keys: Self {
        Self {
            .keys($0)
        } value: {
            if case .keys(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == SymmetricKey {
    static var key: Self {
        Self {
            .key($0)
        } value: {
            if case .key(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == [UInt8] {
    static var bytes: Self {
        Self {
            .bytes($0)
        } value: {
            if case .bytes(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == AuthorizationToken {
    static var token: Self {
        Self {
            .token($0)
        } value: {
            if case .token(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == PresenceProof {
    static var proof: Self {
        Self {
            .proof($0)
        } value: {
            if case .proof(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == PromptAnswer {
    static var answer: Self {
        Self {
            .answer($0)
        } value: {
            if case .answer(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == PresenceStatus {
    static var presenceStatus: Self {
        Self {
            .presenceStatus($0)
        } value: {
            if case .presenceStatus(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == EnclaveKey {
    static var enclaveKey: Self {
        Self {
            .enclaveKey($0)
        } value: {
            if case .enclaveKey(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == Result<SecretBytes, KeychainError> {
    static var used: Self {
        Self {
            .used($0)
        } value: {
            if case .used(let it) = $0 { it } else { nil }
        }
    }
}

extension ReplyForm where Value == PresenceContextID {
    static var context: Self {
        Self {
            .context($0)
        } value: {
            if case .context(let it) = $0 { it } else { nil }
        }
    }
}
