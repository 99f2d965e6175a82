import Crypto

@testable import KeychainModel
@testable import PasskeyProtocol

/// A keychain in memory, with one owner's answer for all questions.
final class FuzzedKeychain: PasskeyKeychain {
    let isWilling: Bool
    var time: UInt64 = 0
    private(set) var agreed = 0
    private(set) var signatures = 0
    private var kept: [(Passkey, PasskeySecrets)] = []
    // One for all: making a key takes longer than all else.
    private static let key = P256.Signing.PrivateKey()

    init(isWilling: Bool) {
        self.isWilling = isWilling
    }

    var canVerify: Bool { true }
    var isShared: Bool { true }

    func passkeys(for site: RelyingParty?) throws(CTAPStatus) -> FoundPasskeys {
        .passkeys(kept.map(\.0).filter { site == nil || $0.site == site })
    }

    func ask(_ question: PasskeyQuestion) throws(CTAPStatus) -> Int {
        guard isWilling else { throw .operationDenied }
        agreed += 1
        return agreed
    }

    func make(_ new: NewPasskey) throws(CTAPStatus) -> (Passkey, PasskeySecrets) {
        let passkey = Passkey(
            id: [1, UInt8(truncatingIfNeeded: kept.count)],
            site: new.site,
            user: new.user,
            publicKey: Array(Self.key.publicKey.x963Representation),
            kind: .synchronizable,
            isDiscoverable: new.isDiscoverable,
            protection: new.protection
        )
        return (passkey, PasskeySecrets(key: .scalar(SecretBytes(Self.key.rawRepresentation)), blob: new.blob))
    }

    func store(_ passkey: Passkey, _ secrets: PasskeySecrets, replacing others: [Passkey]) throws(CTAPStatus) {
        guard kept.count < 32 else { throw .keyStoreFull }
        kept.removeAll { others.contains($0.0) }
        kept.append((passkey, secrets))
    }

    func secrets(of passkey: Passkey, by consent: Int) throws(CTAPStatus) -> PasskeySecrets {
        guard let found = kept.first(where: { $0.0.id == passkey.id }) else { throw .noCredentials }
        return found.1
    }

    func sign(_ bytes: [UInt8], with secrets: PasskeySecrets, by consent: Int) throws(CTAPStatus) -> [UInt8] {
        signatures += 1
        return [0x30, 0]
    }

    func delete(_ passkey: Passkey, by consent: Int) throws(CTAPStatus) {
        kept.removeAll { $0.0.id == passkey.id }
    }

    func update(_ passkey: Passkey, by consent: Int) throws(CTAPStatus) {
        for index in kept.indices where kept[index].0.id == passkey.id { kept[index].0 = passkey }
    }
}

/// Channels in the order of their numbers, so that an input can name them.
final class ChannelNumbers: @unchecked Sendable {
    // Unchecked: one thread uses it.
    private var last: UInt32 = 0

    func next() -> UInt32 {
        last &+= 1
        return last
    }
}
