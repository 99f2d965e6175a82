package import CodeSignature
package import KeychainModel
package import KeychainProtocol

/// The identity of a program: its access groups, as the kernel and its signature give them.
package struct CallerIdentity: Sendable {
    package let caller: Caller
    /// The same for the program itself to see.
    package let identity: ServiceIdentity

    /// - Throws: `missingEntitlement` for a program that is signed and whose signature is worth nothing. As an unsigned
    ///   one it would store its items under another identity, where no program would find them.
    package init(_ facts: ProgramFacts, _ verdict: SignatureVerdict) throws(KeychainError) {
        switch verdict {
        case .tampered(let reason):
            throw KeychainError(.missingEntitlement, "the program's signature is not accepted: \(reason.message)")
        case .signed(let signature):
            self.init(facts, signature)
        case .unsigned(let digest):
            if let group = Self.markedGroup(facts) {
                self.init(name: group, groups: [group], kind: facts.isInstalled ? .installed : .unsigned, facts)
                return
            }
            // Only signed programs are installed, but for ours.
            guard !facts.isInstalled else {
                throw KeychainError(
                    .missingEntitlement,
                    "the program was installed and has lost its signature; sign and install it again"
                )
            }
            if Self.isKeychainCommand(facts) {
                self.init(name: "security", groups: ["security", "*"], kind: .unsigned, facts)
                return
            }
            let group = Self.group(ofUnsigned: facts, digest: digest)
            let others = Self.isOwnersCommand(facts) ? ["*"] : []
            self.init(name: group, groups: [group] + others, ownGroup: group, kind: .unsigned, facts)
        }
    }

    private init(_ facts: ProgramFacts, _ signature: VerifiedSignature) {
        switch facts.mode {
        case .system where facts.isInstalled:
            self.init(signature, kind: .installed, facts)
        case .system:
            // The user who starts it owns it. It must not get at what the installed program keeps, or a copy of that,
            // started with a library of the attacker's, would.
            let group = "signed-copy." + signature.digest.description
            self.init(name: signature.identifier + " (not installed)", groups: [group], kind: .signed, facts)
        case .session:
            self.init(signature, kind: .signed, facts)
        }
    }

    private init(_ signature: VerifiedSignature, kind: ServiceIdentity.Kind, _ facts: ProgramFacts) {
        self.init(
            name: signature.identifier,
            groups: signature.groups,
            ownGroup: signature.identifier,
            kind: kind,
            facts
        )
    }

    /// - Parameter ownGroup: nil where the first group is the program's own.
    private init(
        name: String,
        groups: [String],
        ownGroup: String? = nil,
        kind: ServiceIdentity.Kind,
        _ facts: ProgramFacts
    ) {
        let ownGroup = ownGroup ?? groups.first
        caller = Caller(name: name, groups: AccessGroups(groups), ownGroup: ownGroup)
        identity = ServiceIdentity(
            name: name,
            groups: groups,
            ownGroup: ownGroup,
            kind: kind,
            mode: facts.mode,
            deficiencies: kind == .installed ? [] : facts.deficiencies
        )
    }

    /// The group of passkeys: the same on all devices of a circle, wherever the program lies there. In system mode the kernel
    /// has to vouch for its start, which a library of somebody else's does not survive.
    private static func markedGroup(_ facts: ProgramFacts) -> String? {
        guard facts.isInRootOwnedPlace, facts.path.hasSuffix("/libexec/chatelaine/chatelaine-passkeys"),
            facts.mode == .session || facts.isInstalled
        else { return nil }
        return "chatelaine.passkeys"
    }

    /// In a session, `security` and the keychain's window look after the items of all programs, as they do in a keychain
    /// without a service: its user can read the files as well. In system mode they are programs like any other.
    private static func isKeychainCommand(_ facts: ProgramFacts) -> Bool {
        facts.mode == .session && facts.isInRootOwnedPlace && keychainCommands.contains(where: facts.path.hasSuffix)
    }

    private static let keychainCommands = ["/bin/security", "/libexec/chatelaine/chatelaine-access"]

    /// `chatelaine` looks after the items of all programs there as well, and what it adds is its own.
    private static func isOwnersCommand(_ facts: ProgramFacts) -> Bool {
        facts.mode == .session && facts.isInRootOwnedPlace && facts.path.hasSuffix("/bin/chatelaine")
    }

    /// A place that only root can fill names a program over its versions; anywhere else only its contents do.
    private static func group(ofUnsigned facts: ProgramFacts, digest: ProgramDigest) -> String {
        // An asterisk at the end of a group stands for many groups, and a path is no line of a log.
        let isName =
            facts.path.hasPrefix("/") && !facts.path.utf8.contains(UInt8(ascii: "*"))
            && facts.path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return "program." + (facts.isInRootOwnedPlace && isName ? facts.path : digest.description)
    }
}
