package import EnclaveInterface
package import KeychainModel
import KeychainProtocol

/// A keychain whose owner can be asked for leave.
package protocol OwnedKeychain: Sendable {
    /// Whom the owner asks for the leave: its tokens are good with this keychain.
    func control() throws(KeychainError) -> any EnclaveControl
}

/// A keychain whose keys its owner can have replaced.
package protocol KeyRotationService: OwnedKeychain {
    /// Replaces all class keys, and puts all items under the new ones.
    ///
    /// - Parameter token: for `rotateKeys`, from `control()`.
    /// - Throws: `interactionNotAllowed` while the keychain is locked.
    func rotateKeys(_ token: AuthorizationToken) throws(KeychainError)
}

extension ServiceConnection: KeyRotationService {
    package func rotateKeys(_ token: AuthorizationToken) throws(KeychainError) {
        switch try lastingAnswer(to: .rotate(token)) {
        case .outcome(let outcome): try outcome.requireDone()
        default: throw Self.unexpected
        }
    }
}
