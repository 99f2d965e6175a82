import Crypto
import Foundation

/// The signature of the device that made a backup: ECDSA over P-256 with SHA-256, as r and s, of a fixed text and the
/// SHA-256 of all that stands before it in the file.
package enum BackupSignature {
    package static let size = 64

    /// What is signed.
    package static func message(digest: [UInt8]) -> [UInt8] { Array("chatelaine backup signature 1".utf8) + digest }

    static func isValid(_ signature: [UInt8], digest: [UInt8], signer: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: signer),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: message(digest: digest))
    }
}
