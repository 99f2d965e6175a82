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
