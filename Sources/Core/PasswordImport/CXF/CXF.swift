/// Passwords, one-time codes and passkeys in the Credential Exchange Format of the FIDO Alliance
/// (<https://fidoalliance.org/specs/cx/cxf-v1.0-ps-20250814.html>), version 1.0.
///
/// The reader takes the whole document, which lists accounts, or one account alone: that is what a program gets from
/// Apple's migration.
package enum CXF {
    /// In bytes.
    package static let largestFile = 64 << 20
    package static let mostItems = 100_000
    /// Of titles, addresses and user names, in bytes of UTF-8.
    package static let longestName = 4_096

    static let encrypted = ImportFailure("the file is encrypted; \(whatToChoose)")
    static let whatToChoose = "choose an export of the Credential Exchange Format as JSON, without encryption"
}
