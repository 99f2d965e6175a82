public import Crypto
public import Foundation
public import LocalAuthentication
public import Security

/// Keys that are made and used in the Secure Enclave, as CryptoKit has them: the keychain's enclave, and the machine's TPM
/// where it has one. It stands beside `Crypto`, which has all else of CryptoKit.
///
/// See [SecureEnclave](https://developer.apple.com/documentation/cryptokit/secureenclave).
public enum SecureEnclave: Sendable {
    /// Whether keys can be made and used: whether the keychain that this program uses can be reached.
    public static var isAvailable: Bool { isSecureEnclaveAvailable }

    /// Keys on the curve P-256, the only curve that there is here.
    public enum P256: Sendable {
        /// Keys that sign.
        public enum Signing: Sendable {}
        /// Keys that agree with others.
        public enum KeyAgreement: Sendable {}
    }

    /// Keys that sign with ML-DSA (FIPS 204). No TPM has them: the keychain's enclave computes with them.
    public enum MLDSA65: Sendable {}
    /// Keys that sign with ML-DSA (FIPS 204). No TPM has them: the keychain's enclave computes with them.
    public enum MLDSA87: Sendable {}
    /// Keys that open what is encapsulated with ML-KEM (FIPS 203). No TPM has them: the keychain's enclave computes with them.
    public enum MLKEM768: Sendable {}
    /// Keys that open what is encapsulated with ML-KEM (FIPS 203). No TPM has them: the keychain's enclave computes with them.
    public enum MLKEM1024: Sendable {}
}

extension SecureEnclave.P256.Signing {
    /// A private key that signs, and never leaves the Secure Enclave.
    public struct PrivateKey: Sendable {
        private let key: SealedKey

        /// Makes a key, which is not stored: keep its `dataRepresentation`.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key is to have a compact representation.
        ///   - accessControl: with `privateKeyUsage`, and what the person has to prove at each use.
        ///   - authenticationContext: where they prove it, and whose application password is taken.
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public init(
            compactRepresentable: Bool = true,
            accessControl: SecAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            key = try SealedKey(compactRepresentable: compactRepresentable, accessControl, authenticationContext)
        }

        /// Makes a key that can be used on this device while it is unlocked.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public init(compactRepresentable: Bool = true, authenticationContext: LAContext? = nil) throws {
            key = try SealedKey(compactRepresentable: compactRepresentable, nil, authenticationContext)
        }

        /// Takes a key up again that was made on this device.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateWithData` reports for data that no such key has given.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            key = try SealedKey(dataRepresentation, authenticationContext)
        }

        /// The public half, for those who verify.
        public var publicKey: Crypto.P256.Signing.PublicKey { key.signingKey }

        /// Restores the key later. It holds the key sealed; only the enclave that made the key opens it.
        public var dataRepresentation: Data { key.data }

        /// Signs a digest with ECDSA.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateSignature` reports, also where the person does not prove what is demanded.
        public func signature<D: Digest>(for digest: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try unsafe key.signature(ofDigest: digest.withUnsafeBytes { unsafe Data($0) })
        }

        /// Signs data with ECDSA over its SHA-256.
        ///
        /// - Throws: as for a digest.
        public func signature<D: DataProtocol>(for data: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try signature(for: SHA256.hash(data: data))
        }
    }
}

extension SecureEnclave.P256.KeyAgreement {
    /// A private key that agrees with others, and never leaves the Secure Enclave.
    public struct PrivateKey: Sendable {
        private let key: SealedKey

        /// Makes a key, which is not stored: keep its `dataRepresentation`.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key is to have a compact representation.
        ///   - accessControl: with `privateKeyUsage`, and what the person has to prove at each use.
        ///   - authenticationContext: where they prove it, and whose application password is taken.
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public init(
            compactRepresentable: Bool = true,
            accessControl: SecAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            key = try SealedKey(compactRepresentable: compactRepresentable, accessControl, authenticationContext)
        }

        /// Makes a key that can be used on this device while it is unlocked.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateRandomKey` reports.
        public init(compactRepresentable: Bool = true, authenticationContext: LAContext? = nil) throws {
            key = try SealedKey(compactRepresentable: compactRepresentable, nil, authenticationContext)
        }

        /// Takes a key up again that was made on this device.
        ///
        /// - Throws: the `NSError` that `SecKeyCreateWithData` reports for data that no such key has given.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            key = try SealedKey(dataRepresentation, authenticationContext)
        }

        /// The public half, for the others.
        public var publicKey: Crypto.P256.KeyAgreement.PublicKey { key.agreementKey }

        /// Restores the key later. It holds the key sealed; only the enclave that made the key opens it.
        public var dataRepresentation: Data { key.data }

        /// The secret that both keys lead to.
        ///
        /// - Throws: the `NSError` that `SecKeyCopyKeyExchangeResult` reports, also where the person does not prove what is
        ///   demanded.
        public func sharedSecretFromKeyAgreement(
            with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
        ) throws -> SharedSecret {
            try key.sharedSecret(with: publicKeyShare)
        }
    }
}
