import Crypto
import KeychainModel
import PasskeyProtocol
import Synchronization

/// A keychain in memory, whose owner agrees to everything unless a test says otherwise.
final class ModelKeychain: PasskeyKeychain, Sendable {
    struct State {
        var passkeys: [(Passkey, PasskeySecrets)] = []
        var questions: [PasskeyQuestion] = []
        var refusal: CTAPStatus?
        var canVerify = true
        var isShared = true
        /// An answer to a question unlocks it.
        var isLocked = false
        var consents = 0
        /// In milliseconds, and how much of it passes while the owner is asked.
        var time: UInt64 = 0
        var pause: UInt64 = 0
        var canSign = true
    }

    private let state = Mutex(State())
    let kind: Passkey.Kind

    init(_ kind: Passkey.Kind = .synchronizable) {
        self.kind = kind
    }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var questions: [PasskeyQuestion] { state.withLock(\.questions) }
    var kept: [Passkey] { state.withLock { $0.passkeys.map(\.0) } }
    var canVerify: Bool { state.withLock(\.canVerify) }
    var isShared: Bool { state.withLock(\.isShared) }

    var time: UInt64 { state.withLock(\.time) }

    func passkeys(for site: RelyingParty?) throws(CTAPStatus) -> FoundPasskeys {
        state.withLock { state in
            let found = state.passkeys.map(\.0).filter { site == nil || $0.site == site }
            return state.isLocked ? .locked : .passkeys(found.reversed())
        }
    }

    func ask(_ question: PasskeyQuestion) throws(CTAPStatus) -> Int {
        let (refusal, number) = state.withLock { state in
            state.questions.append(question)
            state.isLocked = false
            state.time += state.pause
            state.consents += 1
            return (state.refusal, state.consents)
        }
        if let refusal { throw refusal }
        return number
    }

    func make(_ new: NewPasskey) throws(CTAPStatus) -> (Passkey, PasskeySecrets) {
        let key = P256.Signing.PrivateKey()
        let passkey = Passkey(
            id: RandomBytes.make(32),
            site: new.site,
            user: new.user,
            publicKey: Array(key.publicKey.x963Representation),
            kind: kind,
            isDiscoverable: new.isDiscoverable,
            protection: new.protection
        )
        return (passkey, PasskeySecrets(key: .scalar(SecretBytes(key.rawRepresentation)), blob: new.blob))
    }

    func store(
        _ passkey: Passkey,
        _ secrets: PasskeySecrets,
        replacing others: [Passkey]
    ) throws(CTAPStatus) {
        state.withLock { state in
            state.passkeys.removeAll { others.contains($0.0) }
            state.passkeys.append((passkey, secrets))
        }
    }

    func secrets(of passkey: Passkey, by consent: Int) throws(CTAPStatus) -> PasskeySecrets {
        guard let found = state.withLock({ $0.passkeys.first { $0.0.id == passkey.id } }) else { throw .noCredentials }
        return found.1
    }

    func sign(_ bytes: [UInt8], with secrets: PasskeySecrets, by consent: Int) throws(CTAPStatus) -> [UInt8] {
        guard state.withLock(\.canSign), case .scalar(let scalar) = secrets.key,
            let key = scalar.withUnsafeBytes({ try? P256.Signing.PrivateKey(rawRepresentation: $0) }),
            let signature = try? key.signature(for: bytes)
        else { throw .other }
        return Array(signature.derRepresentation)
    }

    func delete(_ passkey: Passkey, by consent: Int) throws(CTAPStatus) {
        state.withLock { $0.passkeys.removeAll { $0.0.id == passkey.id } }
    }

    func update(_ passkey: Passkey, by consent: Int) throws(CTAPStatus) {
        state.withLock { state in
            for index in state.passkeys.indices where state.passkeys[index].0.id == passkey.id {
                state.passkeys[index].0 = passkey
            }
        }
    }
}
