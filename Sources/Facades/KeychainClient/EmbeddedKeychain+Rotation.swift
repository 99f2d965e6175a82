package import EnclaveInterface
import KeychainEngine
package import KeychainModel

extension EmbeddedKeychain: KeyRotationService {
    package func rotateKeys(_ token: AuthorizationToken) throws(KeychainError) {
        try withEngine { (engine) throws(KeychainError) in try engine.rotateKeys(token) }
    }
}
