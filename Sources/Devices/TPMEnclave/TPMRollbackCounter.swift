import KeychainModel
import LocalEnclave

/// A counter in a TPM's own memory. An attacker who removes it and makes another gets one that is higher than all
/// before it.
struct TPMRollbackCounter: RollbackCounter {
    private let binding: TPMBinding

    init(_ binding: TPMBinding) {
        self.binding = binding
    }

    func start() throws(KeychainError) -> UInt64 {
        let authorization = try binding.counterAuthorization()
        return try binding.withSession(NVPlace.counterRole) { (session, place) throws(TPMFailure) in
            if case .free(let handle) = try place.find(in: session) {
                try session.define(place.kind, at: handle, tag: place.tag, authorization: authorization)
            }
            if case .ours(let handle, isWritten: false) = try place.find(in: session) {
                // A counter has no value before it has counted.
                try session.increment(handle, authorization: authorization)
            }
            return try Self.value(place, session, authorization)
        }
    }

    func value() throws(KeychainError) -> UInt64 {
        let authorization = try binding.counterAuthorization()
        return try binding.withSession(NVPlace.counterRole) { (session, place) throws(TPMFailure) in
            try Self.value(place, session, authorization)
        }
    }

    func increment() throws(KeychainError) -> UInt64 {
        let authorization = try binding.counterAuthorization()
        return try binding.withSession(NVPlace.counterRole) { (session, place) throws(TPMFailure) in
            try session.increment(place.handle(in: session), authorization: authorization)
            return try Self.value(place, session, authorization)
        }
    }

    private static func value(
        _ place: NVPlace,
        _ session: borrowing TPMSession,
        _ authorization: SecretBytes
    ) throws(TPMFailure) -> UInt64 {
        let bytes = try session.read(8, at: place.handle(in: session), authorization: authorization)
        return unsafe bytes.withUnsafeBytes { unsafe $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
