/// A keychain in this process, or a connection to one. It does what one caller asks for.
package protocol KeychainService: Sendable {
    /// Does one operation. Its owner may be asked for what it lacks.
    ///
    /// - Parameter program: another one for which it is done, if there is one. The audit log records its name as the caller's
    ///   claim.
    /// - Throws: the operation's documented error; then nothing has changed.
    func perform(
        _ operation: KeychainOperation,
        onBehalfOf program: String?
    ) throws(KeychainError) -> OperationResult

    /// Does several operations in their order and in one transaction. Nobody is asked for what one lacks. Private keys are
    /// used by themselves.
    ///
    /// - Parameters:
    ///   - allOrNothing: whether the first error is thrown, and no operation is done. Otherwise one that fails changes
    ///     nothing, and the others are done.
    ///   - program: as for one operation.
    /// - Returns: what came of each.
    /// - Throws: what they fail with as a whole; then nothing has changed.
    func performTogether(
        _ operations: [KeychainOperation],
        allOrNothing: Bool,
        onBehalfOf program: String?
    ) throws(KeychainError) -> [OperationOutcome]

    /// Whether the keychain service holds it. A service tells what happens to a keychain.
    var isHeldByService: Bool { get }

    /// Hands on what happens to the keychain, from how it stands now, until the body returns false.
    ///
    /// - Throws: `notAvailable` if nothing reports changes, the service ends, or too many watch already; what the body throws.
    func watch(_ body: (KeychainEvent) throws(KeychainError) -> Bool) throws(KeychainError)
}

extension KeychainService {
    package var isHeldByService: Bool { false }

    /// A keychain within a process: others may change it, and no service is there to tell.
    package func watch(_ body: (KeychainEvent) throws(KeychainError) -> Bool) throws(KeychainError) {
        throw KeychainError(.notAvailable, "only the keychain service tells what happens to a keychain")
    }

    package func perform(_ operation: KeychainOperation) throws(KeychainError) -> OperationResult {
        try perform(operation, onBehalfOf: nil)
    }

    /// Does several operations in one transaction, all of them or none.
    ///
    /// - Returns: what each came to.
    /// - Throws: the error of the first that fails; then nothing has changed.
    package func transact(
        _ operations: [KeychainOperation],
        onBehalfOf program: String? = nil
    ) throws(KeychainError) -> [OperationResult] {
        let outcomes = try performTogether(operations, allOrNothing: true, onBehalfOf: program)
        return try outcomes.map { (outcome) throws(KeychainError) in try outcome.get() }
    }

    /// - Returns: the item, if the request wants anything back.
    package func add(_ request: AddRequest) throws(KeychainError) -> FoundItem? {
        try perform(.add(request)).items().first
    }

    /// - Returns: what matches; nothing is no error.
    package func find(_ request: FindRequest) throws(KeychainError) -> [FoundItem] {
        try perform(.find(request)).items()
    }

    /// - Returns: how many items matched and were changed.
    package func update(_ request: UpdateRequest) throws(KeychainError) -> Int {
        try perform(.update(request)).count()
    }

    /// - Returns: how many items matched and are gone.
    package func delete(_ request: DeleteRequest) throws(KeychainError) -> Int {
        try perform(.delete(request)).count()
    }

    /// - Throws: `missingEntitlement` for a group that is not the caller's; `invalidParameter` for an access control that is
    ///   not for key use; `interactionNotAllowed` while its class is locked; `unimplemented` where the service makes no
    ///   keys of this algorithm.
    package func makeKey(_ request: MakeKeyRequest) throws(KeychainError) -> EnclaveKey {
        guard case .key(let key) = try perform(.makeKey(request)).answer else { throw OperationResult.unexpected }
        guard key.kind.algorithm == request.algorithm else {
            throw KeychainError(.unimplemented, "the keychain service is of a version that makes P-256 keys alone")
        }
        return key
    }

    /// - Throws: `missingEntitlement` for a key of another group; `undecodable` for one of another keychain, and for one
    ///   that anything was changed of; `interactionNotAllowed` while its class is locked; what its owner has not proved.
    package func useKey(_ request: UseKeyRequest) throws(KeychainError) -> SecretBytes {
        guard case .secret(let secret) = try perform(.useKey(request)).answer else { throw OperationResult.unexpected }
        return secret
    }
}

extension OperationResult {
    fileprivate func items() throws(KeychainError) -> [FoundItem] {
        guard case .items(let items) = answer else { throw Self.unexpected }
        return items
    }

    fileprivate func count() throws(KeychainError) -> Int {
        guard case .count(let count) = answer else { throw Self.unexpected }
        return count
    }

    /// A service of another version, or a faulty one.
    package static let unexpected = KeychainError(
        .notAvailable,
        "the keychain service answers what was not asked"
    )
}

/// A keychain that can have people asked.
package protocol PresenceKeychain: KeychainService {
    /// A context without proofs.
    func makeContext() throws(KeychainError) -> any PresenceContext

    /// By what its owner can be told now.
    func presenceStatus() throws(KeychainError) -> PresenceStatus

    /// Whether the keychain has looked at the calling program, and takes it for an unsigned one whatever its file says.
    ///
    /// - Throws: `missingEntitlement` where it refuses the program's signature.
    func takesCallerForUnsigned() throws(KeychainError) -> Bool

    /// The access group that is the calling program's own.
    ///
    /// - Throws: `missingEntitlement` where nothing says which of several groups is.
    func ownGroup() throws(KeychainError) -> String

    /// Whether the calling program sees the items of all access groups. Another one needs an owner's view for that.
    func seesAllGroups() throws(KeychainError) -> Bool
}

extension PresenceKeychain {
    /// A keychain within a process does not look.
    package func takesCallerForUnsigned() throws(KeychainError) -> Bool { false }

    package static var noOwnGroup: KeychainError {
        KeychainError(
            .missingEntitlement,
            "the program has no access group of its own; give it an application-identifier"
        )
    }
}
