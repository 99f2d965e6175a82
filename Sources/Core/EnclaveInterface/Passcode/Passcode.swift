import CKeychainLinux
package import KeychainModel
@_spi(_Unicode) import Swift

/// A passcode in the one spelling that all ways to type it have: the OpaqueString profile of RFC 8265, section 4.2.
package struct Passcode: Sendable {
    /// The UTF-8 of the normal form.
    package let bytes: SecretBytes

    /// The most bytes that a passcode has in its normal form.
    package static let largestSize = 1_024
    /// Normalisation makes nothing shorter than a third of what it was.
    package static let largestInput = 3 * largestSize

    /// - Throws: `invalidParameter` for what is empty, too long, no UTF-8, or has characters that no passcode may have.
    package init(_ typed: SecretBytes) throws(KeychainError) {
        guard typed.count > 0 else { throw Self.refused("a passcode has at least one character") }
        guard typed.count <= Self.largestInput else { throw Self.tooLong }
        let isPlain = unsafe typed.withUnsafeBytes { bytes in unsafe bytes.allSatisfy { 0x20...0x7E ~= $0 } }
        bytes = isPlain ? typed : try Self.normalized(typed)
        guard bytes.count <= Self.largestSize else { throw Self.tooLong }
    }

    /// The strings in here are copies that no code can overwrite; the allocator zeroes them when they are freed.
    private static func normalized(_ typed: SecretBytes) throws(KeychainError) -> SecretBytes {
        guard let text = unsafe typed.withUnsafeBytes({ unsafe String(validating: $0, as: UTF8.self) }) else {
            throw refused("a passcode is text in UTF-8")
        }
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isAllowed(scalar) else { throw refused("the passcode has a character that none may have") }
            mapped.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        return SecretBytes(Array(String(String.UnicodeScalarView(String(mapped)._nfc)).utf8))
    }

    /// What the FreeformClass of RFC 8264, section 4.3, takes. The two joiners are taken wherever they stand: the rules
    /// for their surroundings are about lookalikes, and a passcode is never displayed.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .unassigned, .surrogate, .privateUse, .lineSeparator, .paragraphSeparator: false
        default:
            !isOldHangulJamo(scalar)
                && (!scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{200C}" || scalar == "\u{200D}")
        }
    }

    private static func isOldHangulJamo(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: true
        default: false
        }
    }

    private static let tooLong = refused("a passcode has at most \(largestSize) bytes")

    private static func refused(_ why: String) -> KeychainError {
        KeychainError(.invalidParameter, why)
    }
}
