package import EnclaveInterface
package import KeychainModel

/// A program that the owner is asked for.
package struct QuestionAsker: Sendable {
    /// What a question says of it, made anew for each.
    let claim: @Sendable () throws(KeychainError) -> AskerClaim
    /// The access groups that a context of it is for.
    let groups: AccessGroups

    /// - Parameters:
    ///   - groups: of which a context has the first few, as many as a prompt can name.
    ///   - ownGroup: the program's own, which a context has in any case.
    ///   - claim: may ask another process, and is called for each question.
    package init(
        groups: AccessGroups,
        ownGroup: String?,
        _ claim: @escaping @Sendable () throws(KeychainError) -> AskerClaim
    ) {
        var entries = groups.ofReferences.names + groups.ofReferences.wildcards.map { $0 + "*" }
        let last = PresenceScope.mostGroups - 1
        if let ownGroup, let place = entries.firstIndex(where: { $0.hasSameBytes(as: ownGroup) }), place > last {
            entries.swapAt(place, last)
        }
        self.groups = AccessGroups(Array(entries.prefix(PresenceScope.mostGroups)))
        self.claim = claim
    }

    /// One that the service, or the process itself, names.
    package init(_ caller: Caller, isVerified: Bool) {
        let claim = AskerClaim.named(limiting: caller.name, isVerified: isVerified)
        self.init(groups: caller.groups, ownGroup: caller.ownGroup) { () throws(KeychainError) in claim }
    }

    /// As the enclave takes them.
    var groupEntries: [String] { groups.names + groups.wildcards.map { $0 + "*" } }
}
