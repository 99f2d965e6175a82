/// The classes of keychain items, by the values of `kSecClass`.
package enum ItemClass: String, Sendable, CaseIterable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
    /// Not stored: the join of a certificate and its private key.
    case identity = "idnt"

    /// The classes that have a table of their own.
    package static let stored: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    /// Whether an item's data is public and is stored readable, authenticated but not encrypted.
    package var dataIsPublic: Bool { self == .certificate }
}
