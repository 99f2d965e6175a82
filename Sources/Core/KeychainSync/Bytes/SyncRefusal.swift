/// Why bytes that came from elsewhere are not taken.
///
/// A refusal costs no more than the bytes' size allows, and changes nothing.
package enum SyncRefusal: Error, Hashable, Sendable {
    /// There are fewer bytes than the form wants.
    case truncated
    /// Something stands behind the end.
    case trailing
    /// A number of bytes or of parts is over its limit.
    case tooLarge
    /// A version that this code does not know. A newer program may.
    case unknownVersion(UInt16)
    /// A kind that no version has.
    case unknownKind(UInt8)
    /// The same could be written otherwise: parts out of order, twice, or in a longer form.
    case notCanonical
    /// A number is out of its range.
    case outOfRange
    /// A key is invalid.
    case badKey
    /// The signature is not that of the key.
    case badSignature
    /// The bytes belong to another circle.
    case otherCircle
    /// The bytes belong to another place than they were found at.
    case otherPlace
    /// Its author was no member, by all that it knew.
    case notMember
    /// The key does not open it.
    case notOpened
}
