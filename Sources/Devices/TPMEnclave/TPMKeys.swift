import Crypto
import KeychainModel
import LocalEnclave

/// P-256 keys that the keychain's TPM makes and uses, and that leave it encrypted for it alone.
struct TPMKeys: HardwareKeys {
    private let binding: TPMBinding

    init(_ binding: TPMBinding) {
        self.binding = binding
    }

    func makeKey() throws(KeychainError) -> HardwareKey {
        let authorization = SymmetricKey(size: .bits256).secretBytes
        let key = try binding.withSession { (session) throws(TPMFailure) in
            try session.makeKey(authorization: authorization).checked(authorization: authorization)
        }
        return HardwareKey(blob: key.bytes, publicKey: Array(key.area.publicKey.x963Representation))
    }

    func signature(ofDigest digest: [UInt8], by key: SecretBytes) throws(KeychainError) -> [UInt8] {
        guard digest.count == 32 else {
            throw KeychainError(.invalidParameter, "what is signed is a digest of 32 bytes")
        }
        let key = try TPMKeyBlob(key)
        return try binding.withSession { (session) throws(TPMFailure) in
            try session.signature(ofDigest: digest, by: key.parts, authorization: key.authorization)
                .verified(ofDigest: digest, by: key.area.publicKey)
        }
    }

    func sharedSecret(with point: [UInt8], by key: SecretBytes) throws(KeychainError) -> SecretBytes {
        // Before the TPM is asked: unchecked products with points off the curve reveal a key.
        guard point.count == 65, point.first == 4,
            let other = try? P256.KeyAgreement.PublicKey(x963Representation: point)
        else { throw KeychainError(.invalidParameter, "the other one's key is no point of P-256 in 65 bytes") }
        let key = try TPMKeyBlob(key)
        return try binding.withSession { (session) throws(TPMFailure) in
            try session.product(of: Array(other.rawRepresentation), and: key.parts, authorization: key.authorization)
                .coordinate()
        }
    }
}
