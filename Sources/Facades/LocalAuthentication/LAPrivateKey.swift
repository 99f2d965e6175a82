public import Foundation
public import Security

/// The private half of the key that a stored right guards. It never leaves the enclave.
///
/// Its operations throw `LAError.notInteractive` while the right is not authorized, and otherwise the keychain's
/// status in
/// `NSOSStatusErrorDomain`: `errSecParam` for an algorithm that is not for such keys.
///
/// See [LAPrivateKey](https://developer.apple.com/documentation/localauthentication/laprivatekey).
public final class LAPrivateKey: NSObject, Sendable {
    private let right: LAPersistedRight

    init(_ right: LAPersistedRight) {
        self.right = right
    }

    /// The public half, for which nobody has to be authorized.
    public var publicKey: LAPublicKey { LAPublicKey(right) }

    // MARK: Signing

    /// Signs data, or a digest of data.
    nonisolated(nonsending) public func sign(_ data: Data, algorithm: SecKeyAlgorithm) async throws -> Data {
        try signature(data, algorithm)
    }

    /// Signs data; the handler gets what the other form throws.
    public func sign(
        _ data: Data,
        algorithm: SecKeyAlgorithm,
        completion handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        RightError.reply(to: handler) { try self.signature(data, algorithm) }
    }

    /// Whether an algorithm is for signing with the key.
    public func canSign(using algorithm: SecKeyAlgorithm) -> Bool { supports(.sign, algorithm) }

    private func signature(_ data: Data, _ algorithm: SecKeyAlgorithm) throws -> Data {
        var error: Unmanaged<CFError>?
        let result = unsafe SecKeyCreateSignature(try key, algorithm, data as CFData, &error)
        guard let result else { throw unsafe RightError.reported(error) }
        return result as Data
    }

    // MARK: Decrypting

    /// Decrypts data that was encrypted to the public half.
    nonisolated(nonsending) public func decrypt(_ data: Data, algorithm: SecKeyAlgorithm) async throws -> Data {
        try plaintext(data, algorithm)
    }

    /// Decrypts data; the handler gets what the other form throws.
    public func decrypt(
        _ data: Data,
        algorithm: SecKeyAlgorithm,
        completion handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        RightError.reply(to: handler) { try self.plaintext(data, algorithm) }
    }

    /// Whether an algorithm is for decrypting with the key.
    public func canDecrypt(using algorithm: SecKeyAlgorithm) -> Bool { supports(.decrypt, algorithm) }

    private func plaintext(_ data: Data, _ algorithm: SecKeyAlgorithm) throws -> Data {
        var error: Unmanaged<CFError>?
        let result = unsafe SecKeyCreateDecryptedData(try key, algorithm, data as CFData, &error)
        guard let result else { throw unsafe RightError.reported(error) }
        return result as Data
    }

    // MARK: Agreeing

    /// The secret that this key and another's public half lead to.
    ///
    /// - Parameters:
    ///   - publicKey: the other's point on P-256, uncompressed: 65 bytes.
    ///   - parameters: as of `SecKeyCopyKeyExchangeResult`.
    nonisolated(nonsending)
        public func exchangeKeys(
            publicKey: Data,
            algorithm: SecKeyAlgorithm,
            parameters: [AnyHashable: Any]
        ) async throws -> Data
    {
        try agreement(publicKey, algorithm, parameters)
    }

    /// The secret that both keys lead to; the handler gets what the other form throws.
    public func exchangeKeys(
        publicKey: Data,
        algorithm: SecKeyAlgorithm,
        parameters: [AnyHashable: Any],
        completion handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        // The parameters are not Sendable: what they are for is done here, and asks nobody.
        let result = Result { try agreement(publicKey, algorithm, parameters) }
        RightError.reply(to: handler) { try result.get() }
    }

    /// Whether an algorithm is for agreeing with the key.
    public func canExchangeKeys(using algorithm: SecKeyAlgorithm) -> Bool { supports(.keyExchange, algorithm) }

    private func agreement(
        _ publicKey: Data,
        _ algorithm: SecKeyAlgorithm,
        _ parameters: [AnyHashable: Any]
    ) throws -> Data {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        var error: Unmanaged<CFError>?
        let peer = unsafe SecKeyCreateWithData(publicKey as CFData, attributes as CFDictionary, &error)
        guard let peer else { throw unsafe RightError.reported(error) }
        let parameters = NSDictionary(dictionary: parameters)
        let result = unsafe SecKeyCopyKeyExchangeResult(try key, algorithm, peer, parameters, &error)
        guard let result else { throw unsafe RightError.reported(error) }
        return result as Data
    }

    // MARK: The key

    /// The key in the context of the authorization, which the enclave looks up at each use.
    private var key: SecKey {
        get throws { try right.record.key(in: right.authorizedContext) }
    }

    private func supports(_ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm) -> Bool {
        (try? key).map { SecKeyIsAlgorithmSupported($0, operation, algorithm) } ?? false
    }
}
