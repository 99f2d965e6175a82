/// Which certificates a list is about, if not all of its issuer's (RFC 5280, section 5.2.5).
package struct IssuingDistributionPoint: Sendable {
    /// The addresses of the list, one of which the certificate has to name; nil if it has no name. None for a name of
    /// another kind.
    package let uris: [String]?
    package let isForUsersOnly: Bool
    package let isForAuthoritiesOnly: Bool
    package let isForAttributesOnly: Bool
    /// Whether certificates may have been revoked for other reasons that this list does not have.
    package let isOfSomeReasonsOnly: Bool
    /// Whether it may name certificates of other issuers.
    package let isIndirect: Bool

    /// - Parameter value: what the extension contains.
    init(_ value: ArraySlice<UInt8>) throws {
        var fields = try DERElement(value).fields(of: .derSequence)
        uris = try fields.optional(.derTaggedElements(0)).map(DistributionPointName.uris)
        isForUsersOnly = try Self.flag(fields.optional(.derTagged(1)))
        isForAuthoritiesOnly = try Self.flag(fields.optional(.derTagged(2)))
        isOfSomeReasonsOnly = try fields.optional(.derTagged(3)) != nil
        isIndirect = try Self.flag(fields.optional(.derTagged(4)))
        isForAttributesOnly = try Self.flag(fields.optional(.derTagged(5)))
        try fields.end()
    }

    /// A BOOLEAN that is left out where it is false; some spell it out.
    private static func flag(_ field: DERElement?) throws -> Bool {
        guard let field else { return false }
        switch Array(field.content) {
        case [0xFF]: return true
        case [0x00]: return false
        default: throw Malformed()
        }
    }
}
