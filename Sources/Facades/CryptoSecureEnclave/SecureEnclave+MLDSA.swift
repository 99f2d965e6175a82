public import Crypto
public import Foundation
public import LocalAuthentication
public import Security

extension SecureEnclave.MLDSA65 {
    /// A private key that signs, and never leaves the Secure Enclave.
    public struct PrivateKey: Sendable {
        private let key: SealedQuantumKey<Crypto.MLDSA65>

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

        /// The public half, for those who verify.
        public var publicKey: Crypto.MLDSA65.PublicKey { key.publicKey }

        /// Restores the key later. It holds the key sealed; only the enclave that made the key opens it.
        public var dataRepresentation: Data { key.key.dataRepresentation }

        /// Signs data of at most 48 KiB.
        ///
        /// - Returns: 3,309 bytes.
        /// - Throws: an `NSError`: `errSecDataTooLarge` for more data; else what `SecKeyCreateSignature` reports, also where
        ///   the person does not prove what is demanded.
        public func signature<D: DataProtocol>(for data: D) throws -> Data {
            try signature(for: data, context: Data())
        }

        /// Signs data of at most 48 KiB in a context of at most 255 bytes.
        ///
        /// - Returns: 3,309 bytes.
        /// - Throws: as without a context; `errSecParam` for a context that is longer.
        public func signature<D: DataProtocol, C: DataProtocol>(for data: D, context: C) throws -> Data {
            try key.key.signature(of: Data(data), context: Data(context))
        }
    }
}

extension SecureEnclave.MLDSA87 {
    /// A private key that signs, and never leaves the Secure Enclave.
    public struct PrivateKey: Sendable {
        private let key: SealedQuantumKey<Crypto.MLDSA87>

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

        /// The public half, for those who verify.
        public var publicKey: Crypto.MLDSA87.PublicKey { key.publicKey }

        /// Restores the key later. It holds the key sealed; only the enclave that made the key opens it.
        public var dataRepresentation: Data { key.key.dataRepresentation }

        /// Signs data of at most 48 KiB.
        ///
        /// - Returns: 4,627 bytes.
        /// - Throws: an `NSError`: `errSecDataTooLarge` for more data; else what `SecKeyCreateSignature` reports, also where
        ///   the person does not prove what is demanded.
        public func signature<D: DataProtocol>(for data: D) throws -> Data {
            try signature(for: data, context: Data())
        }

        /// Signs data of at most 48 KiB in a context of at most 255 bytes.
        ///
        /// - Returns: 4,627 bytes.
        /// - Throws: as without a context; `errSecParam` for a context that is longer.
        public func signature<D: DataProtocol, C: DataProtocol>(for data: D, context: C) throws -> Data {
            try key.key.signature(of: Data(data), context: Data(context))
        }
    }
}
