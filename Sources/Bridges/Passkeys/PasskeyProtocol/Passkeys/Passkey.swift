/// A passkey without its secrets: what a keychain's item says of it.
package struct Passkey: Sendable, Equatable {
    /// Whom a site knows the passkey's owner as.
    package struct User: Sendable, Equatable {
        /// The site's own name for the account, 1 to 64 bytes.
        package let id: [UInt8]
        package let name: String
        package let displayName: String

        /// In bytes of UTF-8. A longer name is cut, as CTAP 2.1 has it (section 6.1.2).
        package static let longestName = 256

        /// - Parameter name: cut where it is too long.
        package init(id: [UInt8], name: String, displayName: String) {
            self.id = id
            self.name = Self.cut(name)
            self.displayName = Self.cut(displayName)
        }

        init(_ map: CTAPMap) throws(CTAPStatus) {
            let id = try map.bytes("id")
            guard (1...64).contains(id.count) else { throw .limitExceeded }
            self.init(
                id: id,
                name: try map.optional("name", \.text) ?? "",
                displayName: try map.optional("displayName", \.text) ?? ""
            )
        }

        private static func cut(_ text: String) -> String {
            var size = 0
            return String(
                text.prefix { character in
                    size += character.utf8.count
                    return size <= longestName
                }
            )
        }
    }

    /// Where its private key is.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// In the Secure Enclave, which never gives it out.
        case thisDevice = 1
        /// In an item that the circle's devices and backups have.
        case synchronizable = 2
    }

    /// Who may learn that it is there (CTAP 2.1, section 12.1).
    package enum Protection: UInt8, Sendable, CaseIterable {
        case optional = 1
        /// Without a verified owner, only who names the passkey.
        case unlessNamed = 2
        /// Nobody, without a verified owner.
        case required = 3
    }

    package let id: [UInt8]
    package let site: RelyingParty
    package var user: User
    /// X9.63, 65 bytes.
    package let publicKey: [UInt8]
    package let kind: Kind
    package let isDiscoverable: Bool
    package let protection: Protection

    package init(
        id: [UInt8],
        site: RelyingParty,
        user: User,
        publicKey: [UInt8],
        kind: Kind,
        isDiscoverable: Bool,
        protection: Protection
    ) {
        self.id = id
        self.site = site
        self.user = user
        self.publicKey = publicKey
        self.kind = kind
        self.isDiscoverable = isDiscoverable
        self.protection = protection
    }
}

/// A passkey that is to be made.
package struct NewPasskey: Sendable, Equatable {
    package let site: RelyingParty
    package let user: Passkey.User
    package let isDiscoverable: Bool
    package let protection: Passkey.Protection
    /// At most 32 bytes that the site keeps with the passkey (CTAP 2.1, section 12.2).
    package let blob: [UInt8]
}
