import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

/// The operations on identities, which are certificates and keys that belong together.
extension KeychainEngine {
    /// Finds identities, both tables being seen at one moment.
    func step(toFindIdentities request: FindRequest, for caller: Caller) throws(KeychainError) -> SearchStep {
        let authorized = try policy.authorizeIdentities(request, for: caller)
        return SearchStep(needsSnapshot: true) { (transaction, note) throws(KeychainError) in
            guard authorized.limit.maximum > 0 else { return [] }
            let certificates = try self.certificateMatcher(for: request.query, of: caller, in: transaction)
            return try IdentityJoin(authorized, engine: self, transaction: transaction)
                .identities(atMost: authorized.limit.maximum) { (identity) throws(KeychainError) in
                    let found = try self.release(identity, to: authorized, certificates: certificates)
                    if found != nil {
                        try note(identity.certificate.item.row)
                        try note(identity.key.item.row)
                    }
                    return found
                }
        }
    }

    /// Opens as much of an identity as the search is about, and nil where it does not match.
    private func release(
        _ identity: OpenedIdentity,
        to find: AuthorizedIdentityFind,
        certificates: CertificateMatcher
    ) throws(KeychainError) -> FoundItem? {
        let key = identity.key.item
        let certificate = identity.certificate.item
        let sha1 = find.keys.query.sha1
        var attributes = AttributeList()
        // Before the key, so that no prompt is shown for a key that does not match.
        var data: OpenedSecrets?
        if find.returns.wantsAttributes || certificates.isNeeded {
            data = try openSecretsOrReport(of: certificate, for: find.certificates)
            guard let data, certificates.matches(data.values[.valueData]) else { return nil }
        }
        var secrets: OpenedSecrets?
        let wantsObject = find.returns.wantsObject(of: .identity)
        if find.returns.contains(.data) || wantsObject || sha1 != nil {
            do throws(KeychainError) {
                secrets = try openSecretsOrReport(of: key, for: find.keys, with: find.authentication)
            } catch {
                guard find.leavesOut(key, error) else { throw error }
            }
            guard let secrets, sha1 == nil || sha1 == secrets.sha1 else { return nil }
        }
        if find.returns.wantsAttributes {
            attributes = key.allAttributes
            for entry in certificate.allAttributes.entries { attributes[entry.key] = entry.value }
        }
        return FoundItem(
            reference: PersistentReference(itemClass: .identity, uuid: certificate.row.uuid),
            attributes: attributes,
            accessControl: certificate.accessControl,
            secrets: find.returns.contains(.data) ? secrets?.values ?? [:] : [:],
            object: wantsObject ? secrets?.values[.valueData] : nil,
            sha1: secrets?.sha1,
            certificate: find.returns.wantsAttributes
                ? IdentityCertificate(data: data?.values[.valueData], tokenID: certificate.attributes[.tokenID]) : nil
        )
    }

    /// Changes the certificates that match and the keys that match, or nothing.
    ///
    /// - Returns: what does it, and says how many matched; 0 where either half has no match.
    func step(
        toUpdateIdentities request: UpdateRequest,
        for caller: Caller
    ) throws(KeychainError) -> (WriteTransaction) throws(KeychainError) -> Int {
        let authorized = try policy.authorizeIdentities(request, for: caller)
        return { (transaction) throws(KeychainError) in
            try self.bothHalvesOrNothing { () throws(KeychainError) in
                try self.update(authorized.certificates, in: transaction)
            } and: { () throws(KeychainError) in
                try self.update(authorized.keys, in: transaction)
            }
        }
    }

    /// Deletes the certificates that match and the keys that match, or nothing; or the identity that a persistent
    /// reference names.
    ///
    /// - Returns: what does it, and says how many matched; 0 where either half has no match. It throws
    ///   `interactionNotAllowed` if a reference names an identity of which a half is locked.
    func step(
        toDeleteIdentities request: DeleteRequest,
        for caller: Caller
    ) throws(KeychainError) -> (WriteTransaction) throws(KeychainError) -> Int {
        switch try policy.authorizeIdentities(request, for: caller) {
        case .halves(let certificates, let keys):
            return { (transaction) throws(KeychainError) in
                try self.bothHalvesOrNothing { () throws(KeychainError) in
                    try self.delete(certificates, in: transaction)
                } and: { () throws(KeychainError) in
                    try self.delete(keys, in: transaction)
                }
            }
        case .identity(let selection, let certificates, let leavesTombstone):
            return { (transaction) throws(KeychainError) in
                let identities = try IdentityJoin(selection, engine: self, transaction: transaction.reading)
                    .identities(atMost: min(1, selection.limit.maximum)) { $0 }
                guard let identity = identities.first else { return 0 }
                for half in [identity.certificate, identity.key] {
                    // The certificate is gone when the key's turn comes, so that any that is found is another.
                    if half.item.row.itemClass == .key,
                        try self.isInUse(half.item, by: certificates, in: transaction)
                    {
                        continue
                    }
                    try self.remove(
                        half.stored,
                        opened: half.item,
                        leavesTombstone: leavesTombstone,
                        in: transaction
                    )
                }
                return 1
            }
        }
    }

    /// Whether a certificate belongs to a key.
    private func isInUse(
        _ key: OpenedItem,
        by certificates: AuthorizedQuery,
        in transaction: WriteTransaction
    ) throws(KeychainError) -> Bool {
        guard let hash = key.publicKeyHash else { return false }
        var isInUse = false
        let queries = try vault.blind(certificates) { () throws(KeychainError) in
            try transaction.reading.groups(of: .certificate)
        }
        for query in queries where !isInUse {
            try transaction.reading.forEach(vault.narrow(query, to: .publicKeyHash, hash)) { _ in
                isInUse = true
                return false
            }
        }
        return isInUse
    }

    /// Two steps in one transaction, which both have to meet something: what is reported as not found has changed
    /// nothing.
    private func bothHalvesOrNothing(
        _ certificates: () throws(KeychainError) -> Int,
        and keys: () throws(KeychainError) -> Int
    ) throws(KeychainError) -> Int {
        let count = try certificates()
        guard count > 0 else { return 0 }
        let keyCount = try keys()
        guard keyCount > 0 else { throw KeychainError(.itemNotFound, "no key matches") }
        return count + keyCount
    }
}
