import Crypto
import KeychainModel

/// The identifier of a site. The browser answers for it: nothing here can check it.
///
/// Two are the same if their bytes are: Swift's own comparison takes some that look alike for the same.
package struct RelyingParty: Sendable, Hashable {
    package let id: String

    /// In bytes of UTF-8: what a domain's name may have (RFC 1035).
    package static let longest = 253

    /// - Throws: `limitExceeded` for one that is empty or too long; `invalidParameter` for one with characters that
    ///   nobody sees, which no domain has.
    package init(_ id: String) throws(CTAPStatus) {
        guard !id.isEmpty, id.utf8.count <= Self.longest else { throw .limitExceeded }
        guard id.unicodeScalars.allSatisfy(PromptPart.isShown) else { throw .invalidParameter }
        self.id = id
    }

    package static func == (left: RelyingParty, right: RelyingParty) -> Bool {
        left.id.utf8.elementsEqual(right.id.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in id.utf8 { hasher.combine(byte) }
    }

    /// SHA-256, as authenticators name it.
    var digest: [UInt8] { Array(SHA256.hash(data: Array(id.utf8))) }
}
