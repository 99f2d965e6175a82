import KeychainClient
import KeychainModel
import SSHAgentProtocol
import Terminal

/// Certificates of the agent's keys: generic passwords too. They are public, so a locked keychain still has them, for the keys
/// that can be used then.
extension AgentKeychain {
    /// Stores a certificate, in the place of one for the same key by the same authority.
    ///
    /// - Throws: where it cannot be of use, which the error's message says; `duplicateItem` where it is stored already.
    static func store(certificate certified: SSHPublicKey, comment: SSHComment) throws {
        guard let certificate = certified.certificate, certificate.subject == .user else {
            throw Failure("an ssh agent has use for certificates of users alone")
        }
        guard certificate.isSignedByAuthority else {
            throw Failure("the certificate is not signed by the authority that it names")
        }
        guard AgentTime.now.date < certificate.validBefore else { throw Failure("the certificate has ended") }
        guard let key = try key(certified.plain) else {
            throw Failure("the keychain does not have the key that the certificate is for")
        }
        let replaced = try certificates(of: key).filter {
            $0.stored.publicKey != certified && $0.stored.publicKey.certificate?.authority == certificate.authority
        }
        try requireRoom(for: certified.blob.count + comment.bytes.count, replacing: replaced)
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes[.service] = KeySearch.certificateService
        request.attributes[.account] = .string(certified.digest)
        request.attributes[.label] = label(comment)
        request.accessibility = KeyProtection.whileLocked
        request.secrets[.valueData] = SecretBytes(certified.blob)
        _ = try CurrentKeychain.service().add(request)
        for old in replaced { try deleteItem(of: old) }
    }

    static func certificates(of key: KeptKey) throws(KeychainError) -> [KeptKey] {
        try usableKeys().found.certificates(of: key)
    }

    static func deleteCertificates(of key: KeptKey) throws(KeychainError) {
        for certificate in try certificates(of: key) { try deleteItem(of: certificate) }
    }
}
