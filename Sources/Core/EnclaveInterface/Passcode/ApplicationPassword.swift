package import KeychainModel

/// A password of an application's own, without which an item of its does not open
/// ([applicationPassword](https://developer.apple.com/documentation/security/secaccesscontrolcreateflags/applicationpassword)).
///
/// Its bytes are taken as they are: a program passes them on, and they are not typed on different keyboards.
package struct ApplicationPassword: Sendable {
    package let bytes: SecretBytes

    /// In bytes.
    package static let largestSize = 1_024

    /// - Throws: `invalidParameter` for one that is empty or has more than 1,024 bytes.
    package init(_ bytes: SecretBytes) throws(KeychainError) {
        guard 1...Self.largestSize ~= bytes.count else {
            throw KeychainError(.invalidParameter, "an application password has 1 to \(Self.largestSize) bytes")
        }
        self.bytes = bytes
    }
}
