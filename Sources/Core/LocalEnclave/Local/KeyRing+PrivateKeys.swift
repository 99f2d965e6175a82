import Crypto
import EnclaveInterface
import KeychainModel

/// Private keys that are used here and never given out: what leaves is sealed.
///
/// Each has a key of its own, which is wrapped as an item's key is, demands and all, though under keys of the keybag
/// that nothing else is under. So no request for an item's key ever opens one.
extension KeyRing {
    func makeKey(
        _ template: EnclaveKeyTemplate,
        with credentials: ItemCredentials
    ) throws(KeychainError) -> EnclaveKey {
        guard
            let header = EnclaveKey.Header(
                keychain: locking.keychain,
                accessGroup: template.accessGroup,
                accessControl: template.accessControl
            )
        else { throw KeychainError(.invalidParameter, "a private key cannot be protected so") }
        // Checked before a key is made, and before a prompt is shown.
        _ = try wrappingKey(of: header)
        let guarded = GuardedBox(useOf: header)
        let biometry = try presence.presentBiometry(isNeeded: guarded.needsCurrentBiometry)
        let ownKey = SymmetricKey(size: .bits256)
        let content = try presence.bound(presence.content(of: ownKey, guarded, credentials), guarded, biometry)
        let made = try NewPrivateKey(template.algorithm, in: locking.device.hardwareKeys)
        let data = PrivateKeyData(header, made.kind, made.publicKey)
        guard
            let key = EnclaveKey(
                header: header,
                kind: made.kind,
                publicKey: made.publicKey,
                box: try Cipher.seal(
                    secret: content,
                    under: try wrappingKey(of: header),
                    authenticating: data.bytes(for: .enclaveKey)
                ),
                content: try Cipher.seal(
                    secret: made.secret,
                    under: ownKey,
                    authenticating: data.bytes(for: .enclaveKeyContent)
                )
            )
        else { throw KeychainError(.internalError, "a private key is larger than one can be") }
        return key
    }

    func use(
        _ key: EnclaveKey,
        for use: KeyUse,
        with credentials: ItemCredentials
    ) throws(KeychainError) -> SecretBytes {
        // An impossible request shows no prompt.
        let task = try PrivateKeyTask(use, of: key.kind.algorithm)
        guard key.header.keychain == locking.keychain else { throw Self.foreign }
        let guarded = GuardedBox(useOf: key.header)
        let data = PrivateKeyData(key.header, key.kind, key.publicKey)
        let wrappingKey = try wrappingKey(of: key.header)
        guard let box = Cipher.openSecret(key.box, under: wrappingKey, authenticating: data.bytes(for: .enclaveKey))
        else { throw Self.foreign }
        let biometry = try presence.presentBiometry(isNeeded: guarded.needsCurrentBiometry)
        let ownKey = try presence.key(in: presence.release(box, guarded, biometry, credentials))
        guard
            let secret = Cipher.openSecret(
                key.content,
                under: ownKey,
                authenticating: data.bytes(for: .enclaveKeyContent)
            )
        else { throw Self.foreign }
        switch key.kind {
        case .software, .mldsa65, .mldsa87, .mlkem768, .mlkem1024: return try task.result(by: secret)
        case .tpm:
            guard let hardware = locking.device.hardwareKeys else {
                throw KeychainError(.notAvailable, "the key is in a TPM, and this keychain has none any more")
            }
            return try task.result(by: secret, in: hardware)
        }
    }

    private static let foreign = KeychainError(
        .undecodable,
        "the private key is another keychain's, or not as it was made"
    )

    /// - Throws: `interactionNotAllowed` while the class is locked.
    private func wrappingKey(of header: EnclaveKey.Header) throws(KeychainError) -> SymmetricKey {
        try wrappingKey(ofPrivateKeysIn: header.accessibility.thisDeviceOnly)
    }

    /// - Throws: `interactionNotAllowed` while the class is locked.
    func wrappingKey(ofPrivateKeysIn accessibility: Accessibility) throws(KeychainError) -> SymmetricKey {
        func present() throws(KeychainError) -> SymmetricKey? {
            try locking.use { (state) throws(KeychainError) in
                if let key = state.keys.privateKeys[accessibility]?.key { return key }
                guard locking.description(of: state).allows(accessibility) else {
                    throw locking.description(of: state).refusal(of: accessibility)
                }
                return nil
            }
        }
        if let key = try present() { return key }
        // The keybag is from before there were private keys.
        try addPrivateKeyKeys()
        guard let key = try present() else {
            throw KeychainError(.internalError, "the keybag took no key for private keys")
        }
        return key
    }

    /// For a keybag from before there were such.
    ///
    /// - Throws: `interactionNotAllowed` while the keychain is locked.
    func addPrivateKeyKeys() throws(KeychainError) {
        try editor.exclusively { () throws(KeychainError) in
            guard try !editor.keybagNow().has(.privateKeys(.alwaysThisDeviceOnly)) else { return }
            let key = try editor.presentPasscodeKey()
            try editor.rewrite(with: key) { (draft, keys) throws(KeychainError) in
                try draft.addPrivateKeyKeys(under: keys)
                return key
            }
        }
    }
}

/// A private key that was made just now.
private struct NewPrivateKey {
    let kind: EnclaveKey.Kind
    let publicKey: EnclavePublicKey
    let secret: SecretBytes

    init(_ algorithm: EnclaveKeyAlgorithm, in hardware: (any HardwareKeys)?) throws(KeychainError) {
        let bytes: [UInt8]
        if let seeded = algorithm.seededKey {
            kind = EnclaveKey.Kind(software: algorithm)
            (secret, bytes) = try seeded.makeSeed()
        } else if let hardware {
            let key = try hardware.makeKey()
            (kind, secret, bytes) = (.tpm, key.blob, key.publicKey)
        } else {
            let key = P256.Signing.PrivateKey()
            var raw = key.rawRepresentation
            (kind, secret, bytes) = (.software, SecretBytes(moving: &raw), Array(key.publicKey.x963Representation))
        }
        guard let publicKey = EnclavePublicKey(bytes, of: algorithm) else {
            throw KeychainError(.notAvailable, "the hardware has made an invalid key")
        }
        self.publicKey = publicKey
    }
}

/// What a private key does, read from a request.
private enum PrivateKeyTask {
    case sign(digest: [UInt8])
    case agree(point: [UInt8], P256.KeyAgreement.PublicKey)
    case seeded(any SeededKey.Type, KeyUse)

    /// - Throws: `invalidParameter` for what keys of the algorithm do not do, and for a point that is not on the curve (NIST
    ///   SP 800-56A, section 5.6.2.3.3); `dataTooLarge` for a message that is too long.
    init(_ use: KeyUse, of algorithm: EnclaveKeyAlgorithm) throws(KeychainError) {
        try use.require(of: algorithm)
        if let key = algorithm.seededKey {
            self = .seeded(key, use)
            return
        }
        switch use {
        case .signature(let digest): self = .sign(digest: digest)
        case .sharedSecret(let point):
            guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: point) else {
                throw KeychainError(.invalidParameter, "the other's public key is not on the curve")
            }
            self = .agree(point: point, key)
        case .messageSignature, .decapsulation: throw KeyUse.impossible
        }
    }

    func result(by secret: SecretBytes) throws(KeychainError) -> SecretBytes {
        do {
            switch self {
            case .sign(let digest):
                let key = try unsafe secret.withUnsafeBytes {
                    try unsafe P256.Signing.PrivateKey(rawRepresentation: $0)
                }
                return SecretBytes(try key.signature(for: PlainDigest(digest)).rawRepresentation)
            case .agree(_, let other):
                let key = try unsafe secret.withUnsafeBytes {
                    try unsafe P256.KeyAgreement.PrivateKey(rawRepresentation: $0)
                }
                let shared = try key.sharedSecretFromKeyAgreement(with: other)
                return unsafe shared.withUnsafeBytes { unsafe SecretBytes($0) }
            case .seeded(let key, let use): return try key.result(of: use, bySeed: secret)
            }
        } catch {
            throw KeychainError(.internalError, "the private key cannot be used")
        }
    }

    func result(by secret: SecretBytes, in hardware: any HardwareKeys) throws(KeychainError) -> SecretBytes {
        switch self {
        case .sign(let digest): SecretBytes(try hardware.signature(ofDigest: digest, by: secret))
        case .agree(let point, _): try hardware.sharedSecret(with: point, by: secret)
        case .seeded: throw KeyUse.impossible
        }
    }
}

/// A digest that the caller has computed.
private struct PlainDigest: Digest {
    private let bytes: [UInt8]

    static let byteCount = KeyUse.digestSize

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try unsafe bytes.withUnsafeBytes(body)
    }

    static func == (left: PlainDigest, right: PlainDigest) -> Bool { left.bytes == right.bytes }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    var description: String { "a digest of \(bytes.count) bytes" }
}

/// What the two parts of a private key are bound to.
private struct PrivateKeyData {
    private let data: AssociatedData
    private let trailer: [UInt8]

    init(_ header: EnclaveKey.Header, _ kind: EnclaveKey.Kind, _ publicKey: EnclavePublicKey) {
        data = AssociatedData(ItemBinding(header), keychain: header.keychain)
        trailer = [kind.rawValue] + publicKey.externalRepresentation
    }

    func bytes(for part: AssociatedData.Part) -> [UInt8] { data.bytes(for: part, trailer: trailer) }
}
