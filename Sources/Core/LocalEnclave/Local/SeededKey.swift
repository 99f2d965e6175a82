import Crypto
import FoundationEssentials
import KeychainModel

/// A private key that is kept as the seed which it is made of: swift-crypto's keys of ML-DSA and ML-KEM.
protocol SeededKey {
    associatedtype PublicKey: SeededPublicKey

    init() throws
    /// - Parameter publicKey: is compared, unless it is nil.
    init<Seed: DataProtocol>(seedRepresentation: Seed, publicKey: PublicKey?) throws

    var seedRepresentation: Data { get }
    var publicKey: PublicKey { get }

    /// - Throws: `KeyUse.impossible` for what such keys do not do.
    func result(of use: KeyUse) throws -> SecretBytes
}

protocol SeededPublicKey {
    /// As FIPS 203 and 204 give it.
    var rawRepresentation: Data { get }
}

extension SeededKey {
    /// Makes a key.
    static func makeSeed() throws(KeychainError) -> (seed: SecretBytes, publicKey: [UInt8]) {
        do {
            let key = try Self()
            return (SecretBytes(key.seedRepresentation), Array(key.publicKey.rawRepresentation))
        } catch {
            throw KeychainError(.internalError, "the private key cannot be made")
        }
    }

    static func result(of use: KeyUse, bySeed seed: SecretBytes) throws -> SecretBytes {
        let key = try unsafe seed.withUnsafeBytes { try unsafe Self(seedRepresentation: $0, publicKey: nil) }
        return try key.result(of: use)
    }
}

protocol SigningSeededKey: SeededKey {
    func signature<Message: DataProtocol, Context: DataProtocol>(for data: Message, context: Context) throws -> Data
}

extension SigningSeededKey {
    func result(of use: KeyUse) throws -> SecretBytes {
        guard case .messageSignature(let message, let context) = use else { throw KeyUse.impossible }
        return SecretBytes(try signature(for: message, context: context))
    }
}

protocol DecapsulatingSeededKey: SeededKey {
    func decapsulate<Ciphertext: DataProtocol>(_ encapsulated: Ciphertext) throws -> SymmetricKey
}

extension DecapsulatingSeededKey {
    func result(of use: KeyUse) throws -> SecretBytes {
        guard case .decapsulation(let ciphertext) = use else { throw KeyUse.impossible }
        return unsafe try decapsulate(ciphertext).withUnsafeBytes { unsafe SecretBytes($0) }
    }
}

extension MLDSA65.PrivateKey: SigningSeededKey {}
extension MLDSA65.PublicKey: SeededPublicKey {}
extension MLDSA87.PrivateKey: SigningSeededKey {}
extension MLDSA87.PublicKey: SeededPublicKey {}
extension MLKEM768.PrivateKey: DecapsulatingSeededKey {}
extension MLKEM768.PublicKey: SeededPublicKey {}
extension MLKEM1024.PrivateKey: DecapsulatingSeededKey {}
extension MLKEM1024.PublicKey: SeededPublicKey {}

extension EnclaveKeyAlgorithm {
    /// Nil for P-256, whose keys are numbers.
    var seededKey: (any SeededKey.Type)? {
        switch self {
        case .p256: nil
        case .mldsa65: MLDSA65.PrivateKey.self
        case .mldsa87: MLDSA87.PrivateKey.self
        case .mlkem768: MLKEM768.PrivateKey.self
        case .mlkem1024: MLKEM1024.PrivateKey.self
        }
    }
}
