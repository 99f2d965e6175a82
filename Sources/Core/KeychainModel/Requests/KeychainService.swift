/// The four calls, as something that answers valid requests of one caller: a keychain in this process, or a
/// connection to one.
package protocol KeychainService: Sendable {
    /// - Returns: the item, if the request wants anything back.
    func add(_ request: AddRequest) throws(KeychainError) -> FoundItem?
    /// - Returns: what matches; nothing is no error.
    func find(_ request: FindRequest) throws(KeychainError) -> [FoundItem]
    /// - Returns: how many items matched and were changed.
    func update(_ request: UpdateRequest) throws(KeychainError) -> Int
    /// - Returns: how many items matched and are gone.
    func delete(_ request: DeleteRequest) throws(KeychainError) -> Int
}

/// A keychain that can have people asked.
package protocol PresenceKeychain: KeychainService {
    /// A context without proofs.
    func makeContext() throws(KeychainError) -> any PresenceContext

    /// By what its owner can be told now.
    func presenceStatus() throws(KeychainError) -> PresenceStatus
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
