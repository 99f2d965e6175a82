package import Crypto
package import KeychainModel

/// The holder of one keychain's keys, as the keychain's own code sees it. It wraps and unwraps the keys of items; class
/// keys never come out of it.
///
/// In the service it is another process; elsewhere the same code in this one.
package protocol Enclave: AnyObject, Sendable {
    /// Grows whenever the keys change that are there. Cheap: it is asked before each request.
    ///
    /// - Throws: `notAvailable` where the enclave cannot be reached.
    var epoch: UInt64 { get throws(KeychainError) }

    func state() throws(KeychainError) -> EnclaveState

    /// The keys that the keychain's own code may hold now.
    func serviceKeys() throws(KeychainError) -> ServiceKeys

    /// Wraps item keys under the newest key of their class, and those whose access control asks for it under an
    /// application password before that.
    ///
    /// - Returns: a box for each, in their order.
    /// - Throws: `interactionNotAllowed` while a class is locked, and, with the `PresenceNeed`, where a password is
    ///   needed and none is given.
    func wrap(_ keys: [UnwrappedItemKey], with credentials: ItemCredentials) throws(KeychainError) -> [[UInt8]]

    /// Unwraps item keys.
    ///
    /// - Returns: for each its key; `undecodable` where a box, or anything it is bound to, is not as it was wrapped;
    ///   `interactionNotAllowed` while its class is locked, and, with the `PresenceNeed`, where its access control
    ///   demands what is neither proved nor given; `authenticationFailed` for a wrong application password, and while
    ///   one has to wait after wrong ones.
    func unwrap(
        _ keys: [WrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>]

    /// Wraps item keys under the newest key of their class that are under an older one. What is inside stays there.
    ///
    /// - Returns: for each a box, in their order; nil where one, or anything it is bound to, is not as it was wrapped.
    /// - Throws: `interactionNotAllowed` while a class is locked.
    func rewrap(_ keys: [WrappedItemKey]) throws(KeychainError) -> [[UInt8]?]

    // MARK: - Private keys

    /// Makes a private key; one on P-256 in the device's hardware, where that makes keys.
    ///
    /// - Throws: `interactionNotAllowed` while its class is locked, and, with the `PresenceNeed`, where a password is
    ///   needed and none is given; `notAvailable` where the hardware does not answer.
    func makeKey(_ template: EnclaveKeyTemplate, with credentials: ItemCredentials) throws(KeychainError) -> EnclaveKey

    /// Has a private key do something.
    ///
    /// - Throws: `undecodable` where the key, or anything it is bound to, is not as it was made; else as `unwrap` has
    ///   it for an item; `invalidParameter` for a point that is not on the curve, and for what keys of the algorithm do
    ///   not do; `dataTooLarge` for a message that is too long; `notAvailable` where the hardware does not answer.
    func use(
        _ key: EnclaveKey,
        for use: KeyUse,
        with credentials: ItemCredentials
    ) throws(KeychainError) -> SecretBytes

    // MARK: - Presence

    /// Has the owner asked, and waits for what comes of it.
    ///
    /// - Parameter isWanted: asked again and again; once it says no, the question is taken back.
    /// - Returns: what stands for what was proved.
    /// - Throws: with the `PresenceFailure`.
    func ask(
        _ question: PresenceQuestion,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) -> PresenceProof

    /// A proof is not needed any more.
    func forget(_ proof: PresenceProof)

    /// Opens a context, in which what is proved opens all items of some access groups.
    ///
    /// It is over after some hours, at each lock, and when there are too many: a question in it then fails with
    /// `itemNotFound`.
    ///
    /// - Parameter groups: at most `PresenceScope.mostGroups`.
    func openContext(_ groups: [String]) throws(KeychainError) -> PresenceContextID

    /// A context is not needed any more, nor what was proved in it.
    func closeContext(_ id: PresenceContextID)

    /// By what the owner can be told now.
    func presenceStatus() throws(KeychainError) -> PresenceStatus

    // MARK: - Changes of keys

    /// Makes new class keys. The old ones stay beside them, for opening, until the rotation is finished.
    ///
    /// - Parameter token: from an `EnclaveControl`, for `rotateKeys`.
    func beginRotation(_ token: AuthorizationToken) throws(KeychainError) -> EnclaveState

    /// Destroys the keys before the present ones: every row is under the present ones.
    ///
    /// - Parameter generation: the keybag's when the rows were looked through. Another one changes nothing: there may
    ///   be newer keys, which no row is under yet.
    func finishRotation(of generation: UInt64) throws(KeychainError) -> EnclaveState

    /// Drops the keys that a locked keychain does not hold. The caller needs no passcode.
    func lock() throws(KeychainError)

    /// Drops all keys but those of Always classes, as if the machine had just started: the owner's last session has
    /// ended.
    func logOut() throws(KeychainError)

    /// Asks to be told, in the middle of each change, before it returns to the caller that made it. The keys of
    /// what was locked are gone from the enclave by then.
    func observe(_ observer: @escaping @Sendable (EnclaveState) -> Void)

    // MARK: - Owner authorizations

    /// Uses up a token.
    ///
    /// - Throws: `authenticationFailed` for one that was not given for this, is used up or too old.
    func redeem(_ token: AuthorizationToken, for operation: GuardedOperation) throws(KeychainError)

    /// The key that binds a part of a backup to this device. Rotation leaves what it is derived from alone.
    func deviceKey(ofBackup backup: ItemUUID) throws(KeychainError) -> SymmetricKey

    /// Signs a backup's digest, and tells by which public key the signature is verified.
    func sign(backupDigest: [UInt8]) throws(KeychainError) -> [UInt8]

    /// The P-256 public key (X9.63) that backups of this device are signed by.
    func backupSigner() throws(KeychainError) -> [UInt8]
}

extension Enclave {
    /// For items that demand nothing.
    package func wrap(_ keys: [UnwrappedItemKey]) throws(KeychainError) -> [[UInt8]] {
        try wrap(keys, with: .none)
    }

    /// For items that demand nothing; the others stay closed.
    package func unwrap(_ keys: [WrappedItemKey]) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        try unwrap(keys, with: .none)
    }
}

/// The keys that code outside the enclave may hold: those that do not open a secret.
package struct ServiceKeys: Sendable {
    /// When they were fetched.
    package let epoch: UInt64
    /// The keychain's UUID, keybag and generation at that time, and what is locked.
    package let state: EnclaveState
    /// Present in every state.
    package let indexKey: SymmetricKey
    /// The metadata keys of the classes that are not locked: the newest, and during a rotation the one before it.
    package let metadata: [Accessibility: [SymmetricKey]]

    package init(state: EnclaveState, indexKey: SymmetricKey, metadata: [Accessibility: [SymmetricKey]]) {
        epoch = state.epoch
        self.state = state
        self.indexKey = indexKey
        self.metadata = metadata
    }
}

/// What is decided of a private key before it is made.
package struct EnclaveKeyTemplate: Sendable {
    package let algorithm: EnclaveKeyAlgorithm
    package let accessGroup: String
    package let accessControl: AccessControl

    package init(_ algorithm: EnclaveKeyAlgorithm = .p256, accessGroup: String, accessControl: AccessControl) {
        self.algorithm = algorithm
        self.accessGroup = accessGroup
        self.accessControl = accessControl
    }
}

/// An item's key and what it is to be bound to.
package struct UnwrappedItemKey: Sendable {
    package let binding: ItemBinding
    package let key: SymmetricKey

    package init(binding: ItemBinding, key: SymmetricKey) {
        self.binding = binding
        self.key = key
    }
}

/// An item's wrapped key and what it claims to be bound to.
package struct WrappedItemKey: Sendable {
    package let binding: ItemBinding
    package let box: [UInt8]

    package init(binding: ItemBinding, box: [UInt8]) {
        self.binding = binding
        self.box = box
    }
}
