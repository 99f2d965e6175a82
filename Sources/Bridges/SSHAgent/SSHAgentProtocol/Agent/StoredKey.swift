/// A key that is kept in the keychain, as far as the agent has to know it.
package struct StoredKey: Sendable, Equatable {
    package let publicKey: SSHPublicKey
    package let comment: SSHComment
    /// Whether its private half never leaves the enclave.
    package let isInEnclave: Bool
    /// Whether its owner proves their presence at each use.
    package let asksOwner: Bool

    package init(publicKey: SSHPublicKey, comment: SSHComment, isInEnclave: Bool, asksOwner: Bool) {
        self.publicKey = publicKey
        self.comment = comment
        self.isInEnclave = isInEnclave
        self.asksOwner = asksOwner
    }
}
