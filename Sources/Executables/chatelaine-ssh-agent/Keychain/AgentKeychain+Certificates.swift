import KeychainClient
import KeychainModel
import SSHAgentProtocol

/// Certificates of the agent's keys: generic passwords too. They are public, so a locked keychain still has them, for the keys
/// that can be used then.
extension AgentKeychain {
    /// The service of their items.
    private static let certificateService = AttributeValue.string("chatelaine-ssh-agent-certificate")

    /// Those of some keys, in their order. Each is used as its key is.
    static func certificates(of keys: [KeptKey]) throws(KeychainError) -> [KeptKey] {
        guard !keys.isEmpty else { return [] }
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["svce"] = certificateService
        var request = FindRequest(query: query)
        request.limit = .all
        request.returns = [.attributes, .data]
        request.authentication.ui = .skip
        let items = try CurrentKeychain.service().find(request).sorted(by: isOlder)
        return keys.flatMap { key in
            items.compactMap { item -> KeptKey? in
                guard let blob = item.secrets[.valueData]?.copied, let certified = try? SSHPublicKey(blob),
                    certified.certificate != nil, certified.plain == key.stored.publicKey
                else { return nil }
                return KeptKey(
                    stored: StoredKey(
                        publicKey: certified,
                        comment: comment(of: item),
                        isInEnclave: key.stored.isInEnclave,
                        asksOwner: key.stored.asksOwner
                    ),
                    reference: item.reference,
                    itemClass: .genericPassword,
                    half: key.half
                )
            }
        }
    }

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
        guard let key = try keys().first(where: { $0.stored.publicKey == certified.plain }) else {
            throw Failure("the keychain does not have the key that the certificate is for")
        }
        let replaced = try certificates(of: [key]).filter {
            $0.stored.publicKey != certified && $0.stored.publicKey.certificate?.authority == certificate.authority
        }
        try requireRoom(for: certified.blob.count + comment.bytes.count, replacing: replaced)
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["svce"] = certificateService
        request.attributes["acct"] = .string(certified.digest)
        request.attributes[.label] = label(comment)
        request.accessibility = KeyProtection.whileLocked
        request.secrets[.valueData] = SecretBytes(certified.blob)
        _ = try CurrentKeychain.service().add(request)
        for old in replaced { try deleteItem(of: old) }
    }

    static func deleteCertificates(of key: KeptKey) throws(KeychainError) {
        for certificate in try certificates(of: [key]) { try deleteItem(of: certificate) }
    }
}
