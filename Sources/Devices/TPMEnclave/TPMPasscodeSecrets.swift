import Crypto
import KeychainModel
import LocalEnclave

/// The passcode's second half, in two places of a TPM's own memory.
struct TPMPasscodeSecrets: PasscodeSecretStore {
    private let binding: TPMBinding

    init(_ binding: TPMBinding) {
        self.binding = binding
    }

    func make(in place: UInt8, authorization: SecretBytes) throws(KeychainError) -> SecretBytes {
        try check(place)
        let secret = SymmetricKey(size: .bits256).secretBytes
        let refused = try binding.withSession(place) { (session, place) throws(TPMFailure) -> TPMProperties? in
            let properties = try session.properties()
            guard properties.allowedTries > properties.reserve, !properties.isLockedOut else { return properties }
            if case .ours(let handle, _) = try place.find(in: session) {
                try session.undefine(place.kind, at: handle)
            }
            guard case .free(let handle) = try place.find(in: session) else { throw TPMFailure(.taken) }
            try session.define(place.kind, at: handle, tag: place.tag, authorization: authorization)
            try session.write(secret, at: handle, authorization: authorization)
            return nil
        }
        if let refused { throw Self.refusal(refused) }
        return secret
    }

    func secret(in place: UInt8, authorization: SecretBytes) throws(KeychainError) -> SecretBytes {
        try check(place)
        let outcome = try binding.withSession(place) { (session, place) throws(TPMFailure) in
            let properties = try session.properties()
            guard properties.allowsTry else { return Outcome.refused(properties) }
            let handle = try place.handle(in: session)
            let secret = try session.read(32, at: handle, authorization: authorization)
            // The caller has the keybag that names this place. The other one's is left from a change that was stopped.
            if case .ours(let left, _)? = try? place.other.find(in: session) {
                try? session.undefine(place.kind, at: left)
            }
            return .secret(secret)
        }
        switch outcome {
        case .secret(let secret): return secret
        case .refused(let properties): throw Self.refusal(properties)
        }
    }

    private enum Outcome: Sendable {
        case secret(SecretBytes)
        case refused(TPMProperties)
    }

    func remove(_ place: UInt8) throws(KeychainError) {
        try check(place)
        try binding.withSession(place) { (session, place) throws(TPMFailure) in
            guard case .ours(let handle, _) = try place.find(in: session) else { return }
            try session.undefine(place.kind, at: handle)
        }
    }

    var secondsUntilForgiven: UInt64? {
        (try? binding.properties()).map { UInt64($0.interval) }
    }

    private func check(_ place: UInt8) throws(KeychainError) {
        guard place < NVPlace.counterRole else { throw KeychainError(.internalError, "no place of a passcode's") }
    }

    /// Why no passcode is tried now: the try that locks the TPM out, for all programs of the machine, is not ours.
    private static func refusal(_ properties: TPMProperties) -> KeychainError {
        guard properties.allowedTries > properties.reserve else {
            return KeychainError(
                .notAvailable,
                "the TPM locks itself out at the first wrong passcode; allow more (tpm2_dictionarylockout --max-tries)"
            )
        }
        let limit = properties.allowedTries - properties.reserve
        let excess = properties.failedTries >= limit ? properties.failedTries - limit + 1 : 1
        let seconds = UInt64(excess) * UInt64(properties.interval)
        let state = properties.isLockedOut ? "is locked out after" : "has seen"
        return KeychainError(
            .notAvailable,
            "the TPM \(state) too many wrong authorisations, not only of this keychain; "
                + "the next passcode can be given in at most \(seconds) seconds"
        )
    }
}

extension SymmetricKey {
    /// The key as bytes that are wiped.
    var secretBytes: SecretBytes { unsafe withUnsafeBytes { unsafe SecretBytes($0) } }
}
