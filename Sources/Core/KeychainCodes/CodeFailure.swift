/// Why a text is no one-time code that this program takes. No case carries a part of the text.
package enum CodeFailure: Error, Equatable, Sendable, CaseIterable {
    case textTooLong
    case otherAddress
    case counterBased
    case steam
    case severalCodes
    case otherType
    case repeatedParameter
    case noSecret
    case secretTooLong
    case notBase32
    case notBase64
    case notHexadecimal
    case otherEncoding
    case otherAlgorithm
    case digitsOutOfRange
    case periodOutOfRange
    case labelTooLong

    /// A sentence for people.
    package var message: String {
        switch self {
        case .textTooLong: "the text is longer than \(OneTimeCode.longestText) bytes"
        case .otherAddress: "the address does not begin with otpauth://"
        case .counterBased: "the code counts its uses (HOTP); only codes that change with the time (TOTP) are supported"
        case .steam: "the code is for Steam, whose codes of five letters are not supported"
        case .severalCodes: "the address holds several codes, as Google Authenticator exports them; add them one by one"
        case .otherType: "the address is for a type of code that is not supported"
        case .repeatedParameter: "a setting of the code is given twice"
        case .noSecret: "the code has no secret"
        case .secretTooLong: "the secret is longer than \(OneTimeCode.longestSecret) bytes"
        case .notBase32: "the secret is not Base32 (letters, and digits from 2 to 7)"
        case .notBase64: "the secret is not Base64"
        case .notHexadecimal: "the secret is not hexadecimal"
        case .otherEncoding: "the secret is in an encoding that is not supported"
        case .otherAlgorithm: "the code uses an algorithm other than SHA-1, SHA-256 and SHA-512"
        case .digitsOutOfRange: "the code does not have 6, 7 or 8 digits"
        case .periodOutOfRange: "the code does not change every 1 to 3600 seconds"
        case .labelTooLong: "the name of the code is longer than \(OneTimeCode.longestLabel) bytes"
        }
    }
}
