import Crypto
import KeychainCircles
import KeychainClient
import KeychainModel
import PasskeyProtocol

/// The keychain of this process, for an authenticator.
struct KeychainPasskeys: PasskeyKeychain {
    let questions: OwnerQuestions
    /// Where new passkeys are kept; nil for all devices if the keychain belongs to a circle of them, else for this one.
    let newKind: Passkey.Kind?

    /// A keychain that does not answer may have a passcode: what is asked of it next will tell.
    var canVerify: Bool {
        (try? CurrentKeychain.presence().presenceStatus().obstacle(to: .owner) == nil) ?? true
    }

    var isShared: Bool { (try? Self.isInCircle()) ?? false }

    func passkeys(for site: RelyingParty?) throws(CTAPStatus) -> FoundPasskeys {
        do throws(KeychainError) {
            return .passkeys(try PasskeyItems.passkeys(for: site).passkeys)
        } catch {
            if error.code == .interactionNotAllowed { return .locked }
            throw PasskeyFailure.status(error)
        }
    }

    func ask(_ question: PasskeyQuestion) throws(CTAPStatus) -> OwnerConsent { try questions.ask(question) }

    func make(_ new: NewPasskey) throws(CTAPStatus) -> (Passkey, PasskeySecrets) {
        let (kind, key, publicKey) = try PasskeyFailure.mapping { () throws(KeychainError) in
            let kind = if let newKind { newKind } else { try Self.usualKind() }
            let (key, publicKey) = try Self.makeKey(kind)
            return (kind, key, publicKey)
        }
        let passkey = Passkey(
            id: RandomBytes.make(32),
            site: new.site,
            user: new.user,
            publicKey: publicKey,
            kind: kind,
            isDiscoverable: new.isDiscoverable,
            protection: new.protection
        )
        return (passkey, PasskeySecrets(key: key, blob: new.blob))
    }

    /// As on Apple's systems, passkeys are on all devices of their owner's, where they have several.
    private static func usualKind() throws(KeychainError) -> Passkey.Kind {
        try isInCircle() ? .synchronizable : .thisDevice
    }

    private static func isInCircle() throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            return try CurrentKeychain.shared().status().isMember
        } catch {
            guard error.code == .itemNotFound else { throw error }
            return false
        }
    }

    private static func makeKey(
        _ kind: Passkey.Kind
    ) throws(KeychainError) -> (PasskeySecrets.PrivateKey, publicKey: [UInt8]) {
        switch kind {
        case .thisDevice:
            let key = try PasskeyItems.makeEnclaveKey()
            return (.inEnclave(SecretBytes(key.bytes)), key.publicKey.externalRepresentation)
        case .synchronizable:
            let key = P256.Signing.PrivateKey()
            return (.scalar(SecretBytes(key.rawRepresentation)), Array(key.publicKey.x963Representation))
        }
    }

    func store(
        _ passkey: Passkey,
        _ secrets: PasskeySecrets,
        replacing others: [Passkey]
    ) throws(CTAPStatus) {
        try PasskeyFailure.mapping { () throws(KeychainError) in
            try PasskeyItems.add(passkey, secrets, replacing: others)
        }
    }

    func secrets(of passkey: Passkey, by consent: OwnerConsent) throws(CTAPStatus) -> PasskeySecrets {
        let secrets = try PasskeyFailure.mapping { () throws(KeychainError) in
            try PasskeyItems.secrets(of: passkey, by: consent)
        }
        // Other devices write items, too.
        guard secrets.publicKey == passkey.publicKey else {
            PasskeysTool.complain("a passkey has another private key than it says")
            throw .other
        }
        return secrets
    }

    func sign(
        _ bytes: [UInt8],
        with secrets: PasskeySecrets,
        by consent: OwnerConsent
    ) throws(CTAPStatus) -> [UInt8] {
        switch secrets.key {
        case .scalar(let scalar):
            let key = unsafe scalar.withUnsafeBytes { unsafe try? P256.Signing.PrivateKey(rawRepresentation: $0) }
            guard let signature = try? key?.signature(for: bytes) else { throw .other }
            return Array(signature.derRepresentation)
        case .inEnclave:
            guard let key = secrets.enclaveKey else { throw .other }
            var request = UseKeyRequest(key: key, use: .signature(ofDigest: Array(SHA256.hash(data: bytes))))
            request.authentication = consent.authentication
            let raw = try PasskeyFailure.mapping { () throws(KeychainError) in
                try CurrentKeychain.service().useKey(request)
            }
            let signature = unsafe raw.withUnsafeBytes {
                unsafe try? P256.Signing.ECDSASignature(rawRepresentation: $0)
            }
            guard let signature else { throw .other }
            return Array(signature.derRepresentation)
        }
    }

    func delete(_ passkey: Passkey, by consent: OwnerConsent) throws(CTAPStatus) {
        try PasskeyFailure.mapping { () throws(KeychainError) in try PasskeyItems.delete(passkey) }
    }

    func update(_ passkey: Passkey, by consent: OwnerConsent) throws(CTAPStatus) {
        try PasskeyFailure.mapping { () throws(KeychainError) in try PasskeyItems.update(passkey, by: consent) }
    }
}

extension PasskeySecrets {
    /// Nil for a key of another kind, and for an invalid one.
    fileprivate var enclaveKey: EnclaveKey? {
        guard case .inEnclave(let blob) = key else { return nil }
        return unsafe blob.withUnsafeBytes { unsafe EnclaveKey(Array($0)) }
    }

    /// X9.63; nil for what is no key.
    fileprivate var publicKey: [UInt8]? {
        switch key {
        case .scalar(let scalar):
            let key = unsafe scalar.withUnsafeBytes { unsafe try? P256.Signing.PrivateKey(rawRepresentation: $0) }
            return (key?.publicKey.x963Representation).map(Array.init)
        case .inEnclave: return enclaveKey?.publicKey.externalRepresentation
        }
    }
}
