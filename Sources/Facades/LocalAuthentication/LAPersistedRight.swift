public import Foundation
import Security

/// A right that guards a key and a secret in the keychain. `LARightStore` makes it.
///
/// See [LAPersistedRight](https://developer.apple.com/documentation/localauthentication/lapersistedright).
public final class LAPersistedRight: LARight, @unchecked Sendable {
    let record: RightRecord

    init(_ record: RightRecord, _ requirement: LAAuthenticationRequirement) {
        self.record = record
        super.init(requirement: requirement)
    }

    /// The key of the Secure Enclave that the right guards.
    public var key: LAPrivateKey { LAPrivateKey(self) }

    /// The secret that the right guards.
    public var secret: LASecret { LASecret(self) }

    override func accessControl() throws -> SecAccessControl { try record.accessControl() }

    override func confirm(in context: LAContext) throws { _ = try record.value(in: context) }

    override func checkBiometrySet() throws {}
}

/// The secret that a stored right guards.
///
/// See [LASecret](https://developer.apple.com/documentation/localauthentication/lasecret).
public final class LASecret: NSObject, Sendable {
    private let right: LAPersistedRight

    init(_ right: LAPersistedRight) {
        self.right = right
    }

    /// The secret, read anew each time.
    ///
    /// - Throws: `LAError.notInteractive` if the right is not authorized, or was authorized more than ten minutes ago;
    ///   otherwise the keychain's status in `NSOSStatusErrorDomain`: `errSecItemNotFound` if there is no secret.
    public var rawData: Data {
        get async throws { try read() }
    }

    /// The secret; the handler gets what `rawData` throws.
    public func loadData(completion handler: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        RightError.reply(to: handler) { try self.read() }
    }

    private func read() throws -> Data {
        guard let secret = try right.record.value(in: right.authorizedContext) else {
            throw RightError.of(errSecItemNotFound)
        }
        return secret
    }
}
