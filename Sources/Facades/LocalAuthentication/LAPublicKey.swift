public import Foundation
public import Security

/// The public half of the key that a stored right guards. It can be used without an authorization.
///
/// Its operations throw the keychain's status in `NSOSStatusErrorDomain`.
///
/// See [LAPublicKey](https://developer.apple.com/documentation/localauthentication/lapublickey).
public final class LAPublicKey: NSObject, Sendable {
    private let right: LAPersistedRight

    init(_ right: LAPersistedRight) {
        self.right = right
    }

    /// The point on P-256, uncompressed: 65 bytes.
    public var bytes: Data {
        get async throws { try point() }
    }

    /// The point on P-256; the handler gets what `bytes` throws.
    public func exportBytes(completion handler: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        RightError.reply(to: handler) { try self.point() }
    }

    private func point() throws -> Data {
        var error: Unmanaged<CFError>?
        let result = unsafe SecKeyCopyExternalRepresentation(try key, &error)
        guard let result else { throw unsafe RightError.reported(error) }
        return result as Data
    }

    /// Encrypts data for the private half.
    nonisolated(nonsending) public func encrypt(_ data: Data, algorithm: SecKeyAlgorithm) async throws -> Data {
        try ciphertext(data, algorithm)
    }

    /// Encrypts data; the handler gets what the other form throws.
    public func encrypt(
        _ data: Data,
        algorithm: SecKeyAlgorithm,
        completion handler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        RightError.reply(to: handler) { try self.ciphertext(data, algorithm) }
    }

    /// Whether an algorithm is for encrypting with the key.
    public func canEncrypt(using algorithm: SecKeyAlgorithm) -> Bool { supports(.encrypt, algorithm) }

    private func ciphertext(_ data: Data, _ algorithm: SecKeyAlgorithm) throws -> Data {
        var error: Unmanaged<CFError>?
        let result = unsafe SecKeyCreateEncryptedData(try key, algorithm, data as CFData, &error)
        guard let result else { throw unsafe RightError.reported(error) }
        return result as Data
    }

    /// Verifies a signature of data.
    ///
    /// - Throws: `errSecVerifyFailed` for anything but the key's signature of the data.
    nonisolated(nonsending)
        public func verify(_ signedData: Data, signature: Data, algorithm: SecKeyAlgorithm) async throws
    {
        try check(signedData, signature, algorithm)
    }

    /// Verifies a signature of data; the handler gets what the other form throws.
    public func verify(
        _ signedData: Data,
        signature: Data,
        algorithm: SecKeyAlgorithm,
        completion handler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        RightError.reply(to: handler) { try self.check(signedData, signature, algorithm) }
    }

    /// Whether an algorithm is for verifying with the key.
    public func canVerify(using algorithm: SecKeyAlgorithm) -> Bool { supports(.verify, algorithm) }

    private func check(_ data: Data, _ signature: Data, _ algorithm: SecKeyAlgorithm) throws {
        var error: Unmanaged<CFError>?
        let isValid = unsafe SecKeyVerifySignature(try key, algorithm, data as CFData, signature as CFData, &error)
        guard isValid else { throw unsafe RightError.reported(error) }
    }

    private var key: SecKey {
        get throws {
            let found = try right.record.key(in: right.authorizedContext)
            guard let key = SecKeyCopyPublicKey(found) else { throw RightError.of(errSecInternalError) }
            return key
        }
    }

    private func supports(_ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm) -> Bool {
        (try? key).map { SecKeyIsAlgorithmSupported($0, operation, algorithm) } ?? false
    }
}
