package import KeychainCertificates
package import KeychainModel

/// What a caller says of a key exchange with derivation. Without derivation nothing of it counts.
package struct KeyExchangeParameters: Sendable {
    /// The bytes that are derived; it has to be there.
    package var requestedSize: Int?
    /// What is derived from besides the secret.
    package var sharedInfo: [UInt8]

    package init(requestedSize: Int? = nil, sharedInfo: [UInt8] = []) {
        self.requestedSize = requestedSize
        self.sharedInfo = sharedInfo
    }
}

extension PrivateKey {
    /// The secret that this key and another one's public half lead to, or what is derived from it.
    ///
    /// - Returns: without derivation, the X coordinate, as long as a coordinate.
    /// - Throws: `invalidParameter` for an algorithm that is not for exchange with such a key, a public key that is not on
    ///   the same curve, and, with derivation, a size that is missing, below 1 or above `KeyHash.expansionLimit`;
    ///   `unimplemented` for what is missing (`Gap`); whatever a key that is elsewhere throws.
    package func exchange(
        with peer: PublicKey,
        _ algorithm: KeyAlgorithm,
        _ parameters: KeyExchangeParameters = KeyExchangeParameters()
    ) throws(KeychainError) -> SecretBytes {
        try algorithm.require(.exchange, by: publicKey.keyKind)
        guard case .ellipticCurve(let key) = backing else { throw algorithm.mistaken }
        return try key.exchange(with: peer, algorithm, parameters)
    }
}

extension PrivateKeyOperations {
    /// The secret that both keys lead to, or what is derived from it. See `PrivateKey.exchange(with:_:_:)`.
    package func exchange(
        with peer: PublicKey,
        _ algorithm: KeyAlgorithm,
        _ parameters: KeyExchangeParameters = KeyExchangeParameters()
    ) throws(KeychainError) -> SecretBytes {
        let curve = try curve
        try algorithm.require(.exchange, by: .ellipticCurve(curve))
        guard case .keyExchange(_, let hash) = algorithm else { throw algorithm.mistaken }
        guard peer.keyKind == .ellipticCurve(curve) else {
            throw KeychainError(.invalidParameter, "the other key is not on the curve of this one")
        }
        guard let hash else { return try checkedSecret(with: peer) }
        // Before the key is asked for anything, which may have to ask a person.
        guard let size = parameters.requestedSize, (1...KeyHash.expansionLimit).contains(size) else {
            throw KeychainError(.invalidParameter, "the size of what is derived is missing, or no such size is derived")
        }
        return try hash.expansion(of: checkedSecret(with: peer), from: 1, suffix: parameters.sharedInfo, count: size)
    }
}
