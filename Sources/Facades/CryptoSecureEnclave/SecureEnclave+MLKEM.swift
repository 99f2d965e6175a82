public import Crypto
public import Foundation
public import LocalAuthentication
public import Security

extension SecureEnclave.MLKEM768 {
    /// A private key that opens what others have encapsulated, and never leaves the Secure Enclave.
    public struct PrivateKey: KEMPrivateKey {
        private let key: SealedQuantumKey<Crypto.MLKEM768>

        /// Makes a key, which is not stored: keep its `dataRepresentation`.
        ///
        /// - Parameters:
        ///   - accessControl: what the person has to prove at each use, with `privateKeyUsage`.
        ///   - authenticationContext: where they prove it, and whose application password is taken.
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public init(accessControl: SecAccessControl, authenticationContext: LAContext? = nil) throws {
            key = try SealedQuantumKey(accessControl, authenticationContext)
        }

        /// Makes a key that can be used on this device from the first unlock on.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public init(authenticationContext: LAContext? = nil) throws {
            key = try SealedQuantumKey(nil, authenticationContext)
        }

        /// Takes a key up again that was made on this device.
        ///
        /// - Throws: an `NSError` with `errSecParam` for data that no such key has given.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            key = try SealedQuantumKey(dataRepresentation: dataRepresentation, authenticationContext)
        }

        /// Makes a key that can be used on this device from the first unlock on.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public static func generate() throws -> Self { try Self() }

        /// The public half, for those who encapsulate.
        public var publicKey: Crypto.MLKEM768.PublicKey { key.publicKey }

        /// Restores the key later. It holds the key sealed; only the enclave that made the key opens it.
        public var dataRepresentation: Data { key.key.dataRepresentation }

        /// The secret that somebody has encapsulated for this key, 32 bytes. Of what is encapsulated for another key it is
        /// another secret, and no error (FIPS 203, section 6.3).
        ///
        /// - Parameter encapsulated: 1,088 bytes.
        /// - Throws: an `NSError`: `errSecParam` for another size; else what `SecKeyCopyKeyExchangeResult` reports, also where
        ///   the person does not prove what is demanded.
        public func decapsulate<D: DataProtocol>(_ encapsulated: D) throws -> SymmetricKey {
            SymmetricKey(data: try key.key.sharedSecret(in: Data(encapsulated)))
        }
    }
}

extension SecureEnclave.MLKEM1024 {
    /// A private key that opens what others have encapsulated, and never leaves the Secure Enclave.
    public struct PrivateKey: KEMPrivateKey {
        private let key: SealedQuantumKey<Crypto.MLKEM1024>

        /// Makes a key, which is not stored: keep its `dataRepresentation`.
        ///
        /// - Parameters:
        ///   - accessControl: what the person has to prove at each use, with `privateKeyUsage`.
        ///   - authenticationContext: where they prove it, and whose application password is taken.
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public init(accessControl: SecAccessControl, authenticationContext: LAContext? = nil) throws {
            key = try SealedQuantumKey(accessControl, authenticationContext)
        }

        /// Makes a key that can be used on this device from the first unlock on.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public init(authenticationContext: LAContext? = nil) throws {
            key = try SealedQuantumKey(nil, authenticationContext)
        }

        /// Takes a key up again that was made on this device.
        ///
        /// - Throws: an `NSError` with `errSecParam` for data that no such key has given.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            key = try SealedQuantumKey(dataRepresentation: dataRepresentation, authenticationContext)
        }

        /// Makes a key that can be used on this device from the first unlock on.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public static func generate() throws -> Self { try Self() }

        /// The public half, for those who encapsulate.
        public var publicKey: Crypto.MLKEM1024.PublicKey { key.publicKey }

        /// Restores the key later. It holds the key sealed; only the enclave that made the key opens it.
        public var dataRepresentation: Data { key.key.dataRepresentation }

        /// The secret that somebody has encapsulated for this key, 32 bytes. Of what is encapsulated for another key it is
        /// another secret, and no error (FIPS 203, section 6.3).
        ///
        /// - Parameter encapsulated: 1,568 bytes.
        /// - Throws: an `NSError`: `errSecParam` for another size; else what `SecKeyCopyKeyExchangeResult` reports, also where
        ///   the person does not prove what is demanded.
        public func decapsulate<D: DataProtocol>(_ encapsulated: D) throws -> SymmetricKey {
            SymmetricKey(data: try key.key.sharedSecret(in: Data(encapsulated)))
        }
    }
}
