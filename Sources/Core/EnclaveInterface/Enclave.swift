package import Crypto
package import KeychainModel

/// The holder of one keychain's keys, as the keychain's own code sees it. It wraps and unwraps the keys of items; class
/// keys never come out of it.
///
/// In the service it is another process; elsewhere the same code in this one. Either way it answers requests: beside
/// each request's type is the function that callers use, such as `makeKey`.
package protocol Enclave: AnyObject, Sendable {
    /// Grows whenever the keys change that are there. Cheap: it is asked before each request.
    ///
    /// - Throws: `notAvailable` where the enclave cannot be reached.
    var epoch: UInt64 { get throws(KeychainError) }

    /// Answers what the keychain service may ask for.
    ///
    /// - Throws: `noPermission` for what is not the service's to ask; else what the request's function says.
    func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer

    /// Has the owner asked, and waits for what comes of it.
    ///
    /// - Parameter isWanted: asked again and again; once it says no, the question is taken back.
    /// - Returns: what stands for what was proved.
    /// - Throws: with the `PresenceFailure`.
    func ask(
        _ question: PresenceQuestion,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) -> PresenceProof

    /// Asks to be told, in the middle of each change, before it returns to the caller that made it. The keys of
    /// what was locked are gone from the enclave by then.
    func observe(_ observer: @escaping @Sendable (EnclaveState) -> Void)

    /// The enclave where it is this process's; nil where it is another's.
    var inProcess: (any InProcessEnclave)? { get }

    // MARK: - Item keys, of which one request holds a limited number

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
}

extension Enclave {
    package var inProcess: (any InProcessEnclave)? { nil }

    /// For items that demand nothing.
    package func wrap(_ keys: [UnwrappedItemKey]) throws(KeychainError) -> [[UInt8]] {
        try wrap(keys, with: .none)
    }

    /// For items that demand nothing; the others stay closed.
    package func unwrap(_ keys: [WrappedItemKey]) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        try unwrap(keys, with: .none)
    }
}

/// An enclave that its owner reaches without a socket.
package protocol InProcessEnclave: Enclave {
    /// What its owner may do with it, whose programs nothing keeps apart.
    ///
    /// - Parameter isRoot: whether wrong passcodes count for nothing.
    func control(isRoot: Bool) -> any EnclaveControl

    /// Where the owner is asked.
    var prompts: any RegisteringDesk { get }
}
