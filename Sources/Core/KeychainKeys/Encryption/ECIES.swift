import KeychainCertificates
import KeychainModel

/// ECIES as Apple composes it: the public key of a key made for the message (X9.63), ciphertext, and a tag of 16 bytes.
///
/// The AES key, and the initialisation vector behind it if it is derived, come from the shared secret by X9.63's
/// derivation, for which the message's public key and then the caller's information are the shared information. AES has
/// 128 bits on curves of up to 256 bits, else 256.
struct ECIES {
    let curve: EllipticCurve
    let hash: KeyHash
    let vector: KeyAlgorithm.InitializationVector
    let parameters: CipherParameters

    private struct Keys {
        let key: SecretBytes
        let vector: SecretBytes
    }

    func encrypt(_ plaintext: [UInt8], for recipient: PublicKey) throws(KeychainError) -> [UInt8] {
        let keySize = try keySize
        let own = try CurvePrivateKey(generatedOn: curve)
        let point = own.publicKey.externalRepresentation
        let keys = try keys(keySize, own.sharedSecret(with: recipient), point)
        return point
            + (try SealedByAES.seal(
                plaintext,
                key: keys.key,
                vector: keys.vector,
                authenticating: parameters.additionalData ?? []
            ))
    }

    func decrypt(_ message: [UInt8], with key: some PrivateKeyOperations) throws(KeychainError) -> SecretBytes {
        // All that can be refused is refused before the key is asked, which may have to ask a person.
        let keySize = try keySize
        let pointSize = 1 + 2 * curve.coordinateSize
        guard message.count >= pointSize + SealedByAES.tagSize else {
            throw KeychainError(.invalidParameter, "the data is too short to be a message")
        }
        let point = Array(message.prefix(pointSize))
        // A point that is not on the curve would lead the key to tell about itself.
        guard let sender = PublicKey(point: point) else { throw KeychainError.undecodableMessage }
        let keys = try keys(keySize, key.checkedSecret(with: sender), point)
        guard
            let plaintext = SealedByAES.open(
                message.dropFirst(pointSize),
                key: keys.key,
                vector: keys.vector,
                authenticating: parameters.additionalData ?? []
            )
        else { throw KeychainError.undecodableMessage }
        return plaintext
    }

    /// The bytes of the AES key.
    private var keySize: Int {
        get throws(KeychainError) { try parameters.keySize(default: curve.sizeInBits <= 256 ? 16 : 32) }
    }

    private func keys(_ size: Int, _ secret: SecretBytes, _ point: [UInt8]) throws(KeychainError) -> Keys {
        let vectorSize = vector == .derived ? 16 : 0
        let derived = try hash.expansion(
            of: secret,
            from: 1,
            suffix: point + parameters.sharedInfo,
            count: size + vectorSize
        )
        return Keys(
            key: derived.part(0..<size),
            vector: vector == .derived ? derived.part(size..<size + vectorSize) : SealedByAES.zeroVector
        )
    }
}

extension KeychainError {
    /// The error for every ciphertext that does not decrypt. It has to stay the same for every cause: an attacker who
    /// can tell one failure from another decrypts by asking.
    static var undecodableMessage: KeychainError {
        KeychainError(.undecodable, "the data does not decrypt with this key")
    }
}
