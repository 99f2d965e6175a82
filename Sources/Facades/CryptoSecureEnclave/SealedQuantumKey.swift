import CoreFoundationAliases
import Crypto
import Foundation
import LocalAuthentication
import Security

/// What is the same of CryptoKit's types for ML-DSA and ML-KEM.
struct SealedQuantumKey<Algorithm: QuantumAlgorithm>: Sendable {
    let key: QuantumKey
    let publicKey: Algorithm.PublicKey

    /// - Parameter accessControl: nil for the one that Apple documents as the default.
    init(_ accessControl: SecAccessControl?, _ context: LAContext?) throws {
        try self.init(QuantumKey(Algorithm.name, accessControl ?? Self.unguarded(), context))
    }

    init(dataRepresentation: some DataProtocol, _ context: LAContext?) throws {
        try self.init(QuantumKey(Algorithm.name, dataRepresentation: Data(dataRepresentation), context))
    }

    private init(_ key: QuantumKey) throws {
        self.key = key
        publicKey = try Algorithm.publicKey(key.publicKey)
    }

    private static func unguarded() throws -> SecAccessControl {
        var error: Unmanaged<CFError>?
        guard
            let control = unsafe SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                [],
                &error
            )
        else { throw unsafe error?.takeRetainedValue() ?? CryptoKitError.incorrectParameterSize }
        return control
    }
}

/// One of swift-crypto's algorithms whose keys the Secure Enclave has.
protocol QuantumAlgorithm {
    associatedtype PublicKey: Sendable

    static var name: QuantumKey.Algorithm { get }

    static func publicKey(_ rawRepresentation: Data) throws -> PublicKey
}

extension MLDSA65: QuantumAlgorithm {
    static var name: QuantumKey.Algorithm { .mldsa65 }

    static func publicKey(_ bytes: Data) throws -> PublicKey { try PublicKey(rawRepresentation: bytes) }
}

extension MLDSA87: QuantumAlgorithm {
    static var name: QuantumKey.Algorithm { .mldsa87 }

    static func publicKey(_ bytes: Data) throws -> PublicKey { try PublicKey(rawRepresentation: bytes) }
}

extension MLKEM768: QuantumAlgorithm {
    static var name: QuantumKey.Algorithm { .mlkem768 }

    static func publicKey(_ bytes: Data) throws -> PublicKey { try PublicKey(rawRepresentation: bytes) }
}

extension MLKEM1024: QuantumAlgorithm {
    static var name: QuantumKey.Algorithm { .mlkem1024 }

    static func publicKey(_ bytes: Data) throws -> PublicKey { try PublicKey(rawRepresentation: bytes) }
}
