import Crypto
package import KeychainModel

/// What a prompter that reads fingers can see of a user's.
package struct BiometryState: Sendable, Hashable {
    /// Why none can be read, `noBiometry` or `notEnrolled`; nil where one can.
    package let obstacle: PresenceFailure?
    /// A digest of the enrolled fingers, also of an empty set; nil where the set is unknown.
    package let set: BiometrySet?

    package init(obstacle: PresenceFailure?, set: BiometrySet?) {
        self.obstacle = obstacle
        self.set = set
    }
}

/// A digest of all fingers that are enrolled: another one after any was enrolled or removed.
package struct BiometrySet: Sendable, Hashable {
    /// 32 bytes.
    package let bytes: [UInt8]

    package static let size = 32

    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    /// The state of a user who has enrolled no finger.
    package static let empty = BiometrySet(uncheckedSize: [UInt8](repeating: 0, count: size))

    /// The caller knows the size.
    private init(uncheckedSize bytes: [UInt8]) { self.bytes = bytes }
}

/// What the person should do with a finger.
package enum FingerHint: UInt8, Sendable, CaseIterable {
    case retry = 1
    case swipeTooShort = 2
    case notCentered = 3
    case removeAndRetry = 4
    /// The finger is not enrolled.
    case notRecognised = 5
}

extension BiometrySet {
    /// What programs are told of it; nil where no finger is enrolled.
    package var domainState: [UInt8]? {
        guard self != .empty else { return nil }
        var hash = SHA256()
        hash.update(data: Array("chatelaine domain state 1\n".utf8))
        hash.update(data: bytes)
        return Array(hash.finalize())
    }
}
