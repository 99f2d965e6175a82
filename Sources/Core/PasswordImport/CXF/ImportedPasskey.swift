package import KeychainModel

/// A passkey as another program has written it.
package struct ImportedPasskey: Sendable {
    /// The seeds of the secrets that a site gets (CTAP 2.1, section 12.5), 32 bytes each.
    package struct Seeds: Sendable {
        /// If the owner was verified.
        package let verified: SecretBytes
        /// If not.
        package let unverified: SecretBytes

        package static let size = 32

        package init(verified: SecretBytes, unverified: SecretBytes) {
            self.verified = verified
            self.unverified = unverified
        }
    }

    package var credentialID: [UInt8] = []
    /// The identifier of the site.
    package var site = ""
    package var userName = ""
    package var userDisplayName = ""
    /// The site's own name for the account.
    package var userHandle: [UInt8] = []
    /// A P-256 key, PKCS#8 in DER. Empty if there is a refusal.
    package var key = SecretBytes([])
    package var seeds: Seeds?
    /// What the site keeps with the passkey (`credBlob`).
    package var blob: [UInt8] = []
    /// What else it has and cannot be taken: the names, as the format calls them, each once.
    package var unplaced: [String] = []
    /// Why it cannot be added, in words that follow "passkeys".
    package var refusal: String?

    /// Whether it can be added.
    package var isTaken: Bool { refusal == nil }

    /// In bytes (WebAuthn, section 4).
    package static let longestCredentialID = 1_023
    /// In bytes (WebAuthn, section 5.4.3).
    package static let longestUserHandle = 64
    /// In bytes of UTF-8: as long as the name of a domain.
    package static let longestSite = 253
    /// In bytes (CTAP 2.1, section 12.2).
    package static let longestBlob = 32

    package init() {}
}
