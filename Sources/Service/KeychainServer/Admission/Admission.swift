package import EnclaveInterface
package import KeychainModel
package import KeychainProtocol

/// Finds out who is at the other end of a connection, before anything that it says is believed.
///
/// docs/protocol.md gives the steps; every one of them answers an attack that succeeded without it.
package protocol Gatekeeper: Sendable {
    /// Goes through the handshake, up to the client's proof; the answer to that is the server's. The descriptor stays
    /// the server's, who closes it. It comes from a listener that had SO_PASSCRED before it listened.
    ///
    /// - Returns: the caller, and the only way to read from it.
    /// - Throws: `missingEntitlement` or `authenticationFailed` where any check fails, `noPermission` for a uid that a
    ///   user namespace was lent; then the server sends a refusal and closes the connection. It has waited for the
    ///   client for two seconds at most.
    func admit(_ socket: Int32) throws(KeychainError) -> AdmittedPeer
}

/// A program whose identity is settled, for as long as the connection lives.
package struct AdmittedPeer: Sendable {
    /// The user whose keychain it is about.
    package let uid: UInt32
    package let caller: Caller
    /// The same for the program itself to see.
    package let identity: ServiceIdentity
    package let stream: any PeerStream
    /// The name of another keychain of the user; nil for the user's one. No check of the product sets it: tests play
    /// many programs with a keychain each.
    package let uncheckedKeychain: String?
    /// Has chatelaine-identify vouch for the caller to the enclave, for one question to the owner; nil where that
    /// failed.
    package let vouch: (@Sendable () throws(KeychainError) -> AskerVoucher)?

    package init(
        uid: UInt32,
        caller: Caller,
        identity: ServiceIdentity,
        stream: any PeerStream,
        uncheckedKeychain: String? = nil,
        vouch: (@Sendable () throws(KeychainError) -> AskerVoucher)? = nil
    ) {
        self.uid = uid
        self.caller = caller
        self.identity = identity
        self.stream = stream
        self.uncheckedKeychain = uncheckedKeychain
        self.vouch = vouch
    }
}

/// The bytes of an admitted peer, each chunk of which is known to come from it.
package protocol PeerStream: Sendable {
    /// Waits for bytes.
    ///
    /// - Parameter deadline: how long; nil for as long as the connection lives.
    /// - Returns: how many bytes came; 0 at the end of the connection.
    /// - Throws: `authenticationFailed` for a chunk of another process or program, or one with a descriptor; then the
    ///   connection has to be closed. `notAvailable` when the deadline has passed.
    func receive(into buffer: UnsafeMutableRawBufferPointer, within deadline: Duration?) throws(KeychainError) -> Int

    /// Makes sure that who waits for an answer still is who asked: a person may have thought about it for minutes.
    ///
    /// - Throws: `authenticationFailed`; then the connection has to be closed.
    func confirm() throws(KeychainError)

    /// Whether the other end still waits for an answer.
    var isWaiting: Bool { get }
}
