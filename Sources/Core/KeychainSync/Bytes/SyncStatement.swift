/// What a device signs, as bytes: the holder of the key reads them, and refuses what it must not sign.
package struct SyncStatement: Hashable, Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// An entry, up to its signatures.
        case entry = 1
        /// A head, up to its signature.
        case head = 2
        /// A newcomer's consent: the circle and its card.
        case consent = 3

        fileprivate var tag: String {
            switch self {
            case .entry: "chatelaine sync entry 1"
            case .head: "chatelaine sync head 1"
            case .consent: "chatelaine sync joins 1"
            }
        }
    }

    package let kind: Kind
    package let bytes: [UInt8]

    package init(_ kind: Kind, _ bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// The message that the signature is of.
    package var digest: SyncHash { SyncHash(of: bytes, tag: kind.tag) }
}
