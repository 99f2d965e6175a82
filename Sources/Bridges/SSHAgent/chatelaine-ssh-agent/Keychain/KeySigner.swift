import KeychainClient
import KeychainModel
import SSHAgentProtocol

/// Signs with keys of the keychain, and has their owner asked.
struct KeySigner {
    /// What is proved in it counts for one signature. If it is invalidated, the question is taken back. Nil where nobody is
    /// to be asked: a context costs a connection of its own.
    let context: (any PresenceContext)?
    let reason: String

    /// Signs with keys that ask nobody.
    static let silent = KeySigner()

    private init() {
        context = nil
        reason = ""
    }

    init(reason: String) throws(KeychainError) {
        context = try CurrentKeychain.presence().makeContext()
        self.reason = reason
    }

    /// - Throws: what the enclave, or the person, says.
    func sign(_ data: [UInt8], flags: SignatureFlags, with key: KeptKey) throws -> [UInt8] {
        switch key.half {
        case .inEnclave(let enclaveKey):
            var request = UseKeyRequest(key: enclaveKey, use: .signature(ofDigest: SSHSignature.p256Digest(of: data)))
            request.authentication = authentication
            let raw = try CurrentKeychain.service().useKey(request)
            guard let signature = SSHSignature.p256(raw: raw.copied) else { throw OperationResult.unexpected }
            return signature
        case .inItem(let reference):
            var request = FindRequest(query: KeptKey.query(.genericPassword, reference))
            request.returns = .data
            request.authentication = authentication
            guard let secret = try CurrentKeychain.service().find(request).first?.secrets[.valueData] else {
                throw KeychainError(.itemNotFound, "the key is not in the keychain any more")
            }
            let privateKey = try SSHPrivateKey(serialized: secret)
            guard privateKey.publicKey == key.stored.publicKey.plain else {
                throw KeychainError(.undecodable, "the item has another key than it says")
            }
            return try privateKey.signature(of: data, flags: flags)
        }
    }

    /// Asks the owner of the keychain, for a key that is not in it.
    func confirm() throws(KeychainError) {
        guard let context else { throw PresenceFailure.notInteractive.error }
        var request = PresenceRequest(.owner)
        request.prompt.reason = reason
        try context.evaluate(request)
    }

    private var authentication: ItemAuthentication {
        var authentication = ItemAuthentication()
        guard let context else {
            authentication.ui = .fail
            return authentication
        }
        authentication.context = context
        authentication.prompt.reason = reason
        return authentication
    }
}
