/// A keychain in this process, or a connection to one. It does what one caller asks for.
package protocol KeychainService: Sendable {
    /// Every operation comes in here.
    ///
    /// - Throws: the operation's documented error; then nothing has changed.
    func perform(_ operation: KeychainOperation) throws(KeychainError) -> OperationResult

    /// Does several operations in their order and in one transaction, all of them or none. Nobody is asked for what one
    /// lacks. Private keys are used by themselves.
    ///
    /// - Returns: what each came to.
    /// - Throws: the error of the first that fails; then nothing has changed.
    func transact(_ operations: [KeychainOperation]) throws(KeychainError) -> [OperationResult]
}

extension KeychainService {
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

    /// The access group that is the calling program's own.
    ///
    /// - Throws: `missingEntitlement` where nothing says which of several groups is.
    func ownGroup() throws(KeychainError) -> String
}

extension PresenceKeychain {
    package static var noOwnGroup: KeychainError {
        KeychainError(
            .missingEntitlement,
            "the program has no access group of its own; give it an application-identifier"
        )
    }
}

/// By what the owner of a keychain can be told now.
package struct PresenceStatus: Sendable, Hashable {
    /// Why there is no asking for the passcode; nil if there is.
    package var passcode: PresenceFailure?
    /// Why there is no asking for a finger; nil if there is.
    package var biometry: PresenceFailure?
    /// A digest of the enrolled fingers; nil where there are none.
    package var biometrySet: [UInt8]?

    package init(passcode: PresenceFailure?, biometry: PresenceFailure?, biometrySet: [UInt8]? = nil) {
        self.passcode = passcode
        self.biometry = biometry
        self.biometrySet = biometrySet
    }
}
