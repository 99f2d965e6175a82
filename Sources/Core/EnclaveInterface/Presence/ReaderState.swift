import Crypto
package import KeychainModel

/// What a prompter that reads a factor, such as fingers, can see of a user's.
package struct ReaderState: Sendable, Hashable {
    /// Why it cannot be read, `noBiometry` or `notEnrolled`; nil where it can.
    package let obstacle: PresenceFailure?
    /// A digest of what is enrolled, also of an empty set; nil where the set is unknown.
    package let set: EnrolledSet?

    package init(obstacle: PresenceFailure?, set: EnrolledSet?) {
        self.obstacle = obstacle
        self.set = set
    }
}

/// A digest of all that is enrolled for a factor: another one after any finger was enrolled or removed.
package struct EnrolledSet: Sendable, Hashable {
    /// 32 bytes.
    package let bytes: [UInt8]

    package static let size = 32

    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    /// The state of a user who has enrolled nothing.
    package static let empty = EnrolledSet(uncheckedSize: [UInt8](repeating: 0, count: size))

    /// The caller knows the size.
    private init(uncheckedSize bytes: [UInt8]) { self.bytes = bytes }
}

/// What the person should do at a reader.
package enum ReaderHint: UInt8, Sendable, CaseIterable {
    case retry = 1
    case swipeTooShort = 2
    case notCentered = 3
    case removeAndRetry = 4
    /// What was read is not enrolled.
    case notRecognised = 5
}

extension EnrolledSet {
    /// What programs are told of it; nil where nothing is enrolled.
    package var domainState: [UInt8]? {
        guard self != .empty else { return nil }
        var hash = SHA256()
        hash.update(data: Array("chatelaine domain state 1\n".utf8))
        hash.update(data: bytes)
        return Array(hash.finalize())
    }
}
