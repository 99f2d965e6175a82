/// Bytes that are not CBOR in the form that CTAP2 prescribes. The description repeats none of them: they may be secret.
package struct CBORFormatError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
