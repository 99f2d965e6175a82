/// Under which conditions a key is kept (RFC 9987, section 3.2.7).
package struct KeyConstraints: Sendable, Equatable {
    /// In seconds.
    package var lifetime: UInt32?
    /// Whether the person is asked at each use.
    package var needsConfirmation = false
    /// Where the key may be used; empty for everywhere.
    package var destinations: [DestinationConstraint] = []

    package init() {}

    /// - Throws: for a constraint that is unknown or stands twice. What is not understood cannot be kept.
    init(_ reader: inout SSHReader) throws(SSHFormatError) {
        var isRestricted = false
        while !reader.isAtEnd {
            switch try reader.byte() {
            case 1:
                guard lifetime == nil else { throw Self.twice }
                lifetime = try reader.uint32()
            case 2:
                guard !needsConfirmation else { throw Self.twice }
                needsConfirmation = true
            case 255:
                guard try reader.text(limit: 256) == DestinationConstraint.extensionName else {
                    throw SSHFormatError("a key has a constraint that is unknown here")
                }
                guard !isRestricted else { throw Self.twice }
                isRestricted = true
                destinations = try DestinationConstraint.list(try reader.string())
            default: throw SSHFormatError("a key has a constraint that is unknown here")
            }
        }
    }

    private static let twice = SSHFormatError("a constraint stands twice")
}
