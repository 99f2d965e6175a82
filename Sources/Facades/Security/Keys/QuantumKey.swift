import CoreFoundationAliases
package import Foundation

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

/// A private key of the Secure Enclave that computes ML-DSA or ML-KEM. Apple documents no `SecKey` of these: CryptoKit's
/// types are made of it.
package struct QuantumKey: Sendable {
    package enum Algorithm: Sendable, CaseIterable {
        case mldsa65, mldsa87, mlkem768, mlkem1024
    }

    /// Restores the key later. It holds the key sealed; only the enclave that made the key opens it.
    package let dataRepresentation: Data
    /// As FIPS 203 and 204 give it.
    package let publicKey: Data
    // No stored property has a type of an inner module: see `Package.swift`.
    private let use: @Sendable (Use) throws -> Data

    private enum Use {
        case signature(of: Data, context: Data)
        case decapsulation(of: Data)
    }

    /// Makes a key, which is not stored.
    ///
    /// - Parameter context: where the person proves what the access control demands.
    /// - Throws: an `NSError` with what `SecKeyCreateRandomKey` reports of such an access control; `errSecUnimplemented`
    ///   where the keychain service is of an earlier version.
    package init(
        _ algorithm: Algorithm,
        _ control: SecAccessControl,
        _ context: (any AuthenticationContext)?
    ) throws {
        do throws(KeychainError) {
            let authentication = KeyAuthentication(context)
            var request = MakeKeyRequest()
            request.algorithm = algorithm.inEnclave
            request.accessControl = try control.control
            request.authentication = authentication.present
            self.init(try CurrentKeychain.service().makeKey(request), authentication)
        } catch {
            throw error.object
        }
    }

    /// Takes a key up again.
    ///
    /// - Throws: an `NSError` with `errSecParam` for data that no key of the algorithm has given.
    package init(
        _ algorithm: Algorithm,
        dataRepresentation: Data,
        _ context: (any AuthenticationContext)?
    ) throws {
        guard let key = EnclaveKey(dataRepresentation), key.kind.algorithm == algorithm.inEnclave else {
            throw KeychainError(.invalidParameter, "the data is not that of such a key in the Secure Enclave").object
        }
        self.init(key, KeyAuthentication(context))
    }

    private init(_ key: EnclaveKey, _ authentication: KeyAuthentication) {
        dataRepresentation = Data(key.bytes)
        publicKey = Data(key.publicKey.externalRepresentation)
        use = { use in
            do throws(KeychainError) {
                let use: KeyUse =
                    switch use {
                    case .signature(let message, let context):
                        .messageSignature(of: Array(message), context: Array(context))
                    case .decapsulation(let ciphertext): .decapsulation(of: Array(ciphertext))
                    }
                // Nothing that will be refused is sent.
                try use.require(of: key.kind.algorithm)
                return unsafe try authentication.use(key, for: use).withUnsafeBytes { unsafe Data($0) }
            } catch {
                throw error.object
            }
        }
    }

    /// Signs with ML-DSA.
    ///
    /// - Parameters:
    ///   - message: at most 48 KiB.
    ///   - context: at most 255 bytes.
    /// - Throws: an `NSError`: `errSecDataTooLarge` for a longer message; `errSecParam` for a longer context, and by keys
    ///   that do not sign; else what `SecKeyCreateSignature` reports.
    package func signature(of message: Data, context: Data) throws -> Data {
        try use(.signature(of: message, context: context))
    }

    /// The secret that is encapsulated with ML-KEM, 32 bytes; of a ciphertext that is not for this key, another secret.
    ///
    /// - Throws: an `NSError`: `errSecParam` for a ciphertext of another size, and by keys that open none; else what
    ///   `SecKeyCopyKeyExchangeResult` reports.
    package func sharedSecret(in ciphertext: Data) throws -> Data {
        try use(.decapsulation(of: ciphertext))
    }
}

extension QuantumKey.Algorithm {
    fileprivate var inEnclave: EnclaveKeyAlgorithm {
        switch self {
        case .mldsa65: .mldsa65
        case .mldsa87: .mldsa87
        case .mlkem768: .mlkem768
        case .mlkem1024: .mlkem1024
        }
    }
}
