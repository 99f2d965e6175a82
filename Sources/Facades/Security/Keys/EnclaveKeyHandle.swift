import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainClient
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// A private key of the enclave's, on P-256, as an object has it: each use is asked of the keychain, with what the person
/// has proved in the object's context.
@_implementationOnly
struct EnclaveKeyHandle: Sendable {
    let key: EnclaveKey
    let publicKey: PublicKey
    private let authentication: KeyAuthentication

    /// - Returns: nil for a key of another algorithm: there are no objects of those.
    init?(_ key: EnclaveKey, _ authentication: KeyAuthentication) {
        guard let point = key.publicKey.point else { return nil }
        self.key = key
        self.authentication = authentication
        publicKey = point
    }

    /// It does not conform itself: a module in which something conforms to a protocol of a hidden one crashes Swift 6.3.1
    /// where it is imported.
    var privateKey: PrivateKey {
        PrivateKey(
            RemotePrivateKey(publicKey) { (digest) throws(KeychainError) in
                let signature = try authentication.use(key, for: .signature(ofDigest: digest))
                return unsafe signature.withUnsafeBytes { unsafe Array($0) }
            } agree: { (peer) throws(KeychainError) in
                try authentication.use(key, for: .sharedSecret(with: peer.externalRepresentation))
            }
        )
    }
}

/// What a dictionary said of asking the person, kept for as long as the key that it brought.
@_implementationOnly
struct KeyAuthentication: Sendable {
    // Contexts can be used from any thread.
    nonisolated(unsafe) private let context: (any AuthenticationContext)?
    private let ui: AuthenticationUI
    private let operationPrompt: String?

    init(_ context: (any AuthenticationContext)?) {
        unsafe self.context = context
        ui = .allow
        operationPrompt = nil
    }

    init(_ dictionary: CFDictionary) {
        unsafe context = dictionary[kSecUseAuthenticationContext] as? any AuthenticationContext
        let isForbidden =
            (dictionary[kSecUseAuthenticationUI] as? NSString) == kSecUseAuthenticationUIFail
            || (dictionary["u_NoAuthUI" as NSString] as? NSNumber)?.boolValue ?? false
        ui = isForbidden ? .fail : .allow
        operationPrompt = dictionary[kSecUseOperationPrompt] as? String
    }

    func use(_ key: EnclaveKey, for use: KeyUse) throws(KeychainError) -> SecretBytes {
        var request = UseKeyRequest(key: key, use: use)
        request.authentication = present
        return try CurrentKeychain.service().useKey(request)
    }

    /// As the context is now: its reason may be another one for each use.
    var present: ItemAuthentication {
        var authentication = ItemAuthentication()
        authentication.ui = ui
        if let context = unsafe context {
            let call = CallContext(context)
            if call.forbidsInteraction { authentication.ui = .fail }
            authentication.applicationPassword = call.applicationPassword
            authentication.context = call.presence
            authentication.prompt = call.prompt
            authentication.reuse = call.reuse
        }
        if let operationPrompt { authentication.prompt.reason = operationPrompt }
        return authentication
    }
}

/// Whether the keychain that this program uses keeps private keys.
package var isSecureEnclaveAvailable: Bool { (try? CurrentKeychain.service()) != nil }
