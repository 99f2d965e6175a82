public import Foundation
import Security

/// Rights that are kept in the keychain, each with a key and perhaps a secret.
///
/// A right is in the program's own access group (`application-identifier`) and in no group that it shares with other
/// programs, for this device, and while it is unlocked. Errors are an `LAError` for what a person did, and the keychain's
/// status in `NSOSStatusErrorDomain` otherwise: `errSecMissingEntitlement` for a program without such a group.
///
/// See [LARightStore](https://developer.apple.com/documentation/localauthentication/larightstore).
public final class LARightStore: NSObject, Sendable {
    private override init() {}

    /// The one store of this program.
    public static let shared = LARightStore()

    // MARK: Finding

    /// A right that was stored; nobody has authorized it yet.
    ///
    /// - Throws: `errSecItemNotFound` if there is none with this identifier.
    nonisolated(nonsending) public func right(forIdentifier identifier: String) async throws -> LAPersistedRight {
        try find(identifier)
    }

    /// A right that was stored; the handler gets what the other form throws.
    public func right(
        forIdentifier identifier: String,
        completion handler: @escaping @Sendable (LAPersistedRight?, (any Error)?) -> Void
    ) {
        RightError.reply(to: handler) { try self.find(identifier) }
    }

    private func find(_ identifier: String) throws -> LAPersistedRight {
        let record = try RightRecord.find(identifier)
        let demand = try record.accessControl().presenceDemand
        return LAPersistedRight(record, demand.needsBiometry && !demand.needsPasscode ? .biometry : .default)
    }

    // MARK: Storing

    /// Stores a right with a new key of the Secure Enclave.
    ///
    /// - Throws: `errSecDuplicateItem` if there is a right with this identifier; `errSecParam` if that is empty;
    ///   `errSecNotAvailable` for `biometryCurrentSet` where the enrolled fingers cannot be told.
    @discardableResult
    nonisolated(nonsending)
        public func saveRight(_ right: LARight, identifier: String) async throws -> LAPersistedRight
    {
        try save(right, identifier, nil)
    }

    /// Stores a right with a new key of the Secure Enclave and a secret.
    ///
    /// - Throws: as without a secret.
    @discardableResult
    nonisolated(nonsending)
        public func saveRight(_ right: LARight, identifier: String, secret: Data) async throws -> LAPersistedRight
    {
        try save(right, identifier, secret)
    }

    /// Stores a right; the handler gets what the other form throws.
    public func saveRight(
        _ right: LARight,
        identifier: String,
        completion handler: @escaping @Sendable (LAPersistedRight?, (any Error)?) -> Void
    ) {
        RightError.reply(to: handler) { try self.save(right, identifier, nil) }
    }

    /// Stores a right with a secret; the handler gets what the other form throws.
    public func saveRight(
        _ right: LARight,
        identifier: String,
        secret: Data,
        completion handler: @escaping @Sendable (LAPersistedRight?, (any Error)?) -> Void
    ) {
        RightError.reply(to: handler) { try self.save(right, identifier, secret) }
    }

    private func save(_ right: LARight, _ identifier: String, _ secret: Data?) throws -> LAPersistedRight {
        guard !identifier.isEmpty else { throw RightError.of(errSecParam) }
        let record = try RightRecord.make(identifier, right.requirement, secret: secret)
        return LAPersistedRight(record, right.requirement)
    }

    // MARK: Removing

    /// Removes a right with its key and its secret.
    ///
    /// - Throws: `errSecItemNotFound` if it is not there.
    nonisolated(nonsending) public func removeRight(_ right: LAPersistedRight) async throws {
        try await remove(right)
    }

    /// Removes a right; the handler gets what the other form throws.
    public func removeRight(_ right: LAPersistedRight, completion handler: @escaping @Sendable ((any Error)?) -> Void) {
        RightError.reply(to: handler) { try await self.remove(right) }
    }

    nonisolated(nonsending) private func remove(_ right: LAPersistedRight) async throws {
        try right.record.remove()
        await right.deauthorize()
    }

    /// Removes a right with its key and its secret.
    ///
    /// - Throws: `errSecItemNotFound` if there is none with this identifier.
    nonisolated(nonsending) public func removeRight(forIdentifier identifier: String) async throws {
        try RightRecord.find(identifier).remove()
    }

    /// Removes a right; the handler gets what the other form throws.
    public func removeRight(
        forIdentifier identifier: String,
        completion handler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        RightError.reply(to: handler) { try RightRecord.find(identifier).remove() }
    }

    /// Removes all rights of this program.
    nonisolated(nonsending) public func removeAllRights() async throws {
        try RightRecord.removeAll()
    }

    /// Removes all rights of this program; the handler gets what the other form throws.
    public func removeAllRights(completion handler: @escaping @Sendable ((any Error)?) -> Void) {
        RightError.reply(to: handler) { try RightRecord.removeAll() }
    }
}
