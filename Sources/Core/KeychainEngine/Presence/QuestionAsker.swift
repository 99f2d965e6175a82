package import KeychainEnclave
package import KeychainModel

/// A program that the owner is asked for.
package struct QuestionAsker: Sendable {
    /// What a question says of it, made anew for each.
    let claim: @Sendable () throws(KeychainError) -> AskerClaim
    /// The access groups that a context of it is for.
    let groups: AccessGroups

    /// - Parameters:
    ///   - groups: of which a context has the first few, as many as a prompt can name.
    ///   - claim: may ask another process, and is called for each question.
    package init(
        groups: AccessGroups,
        _ claim: @escaping @Sendable () throws(KeychainError) -> AskerClaim
    ) {
        let entries = groups.ofReferences.names + groups.ofReferences.wildcards.map { $0 + "*" }
        self.groups = AccessGroups(Array(entries.prefix(PresenceScope.mostGroups)))
        self.claim = claim
    }

    /// One that the service, or the process itself, names.
    package init(_ caller: Caller, isVerified: Bool) {
        let claim = AskerClaim.named(limiting: caller.name, isVerified: isVerified)
        self.init(groups: caller.groups) { () throws(KeychainError) in claim }
    }

    /// As the enclave takes them.
    var groupEntries: [String] { groups.names + groups.wildcards.map { $0 + "*" } }
}
