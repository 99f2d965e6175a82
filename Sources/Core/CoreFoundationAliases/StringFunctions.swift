public import Foundation

/// The number of a text encoding.
public typealias CFStringEncoding = UInt32

/// The encodings that every system knows.
public enum CFStringBuiltInEncodings: CFStringEncoding, Sendable {
    case macRoman = 0
    case windowsLatin1 = 0x0500
    case isoLatin1 = 0x0201
    case nextStepLatin = 0x0B01
    case ASCII = 0x0600
    case unicode = 0x0100
    case UTF8 = 0x0800_0100
    case nonLossyASCII = 0x0BFF
    case UTF16BE = 0x1000_0100
    case UTF16LE = 0x1400_0100
    case UTF32 = 0x0C00_0100
    case UTF32BE = 0x1800_0100
    case UTF32LE = 0x1C00_0100

    /// UTF-16, by its other name.
    public static var UTF16: CFStringBuiltInEncodings { .unicode }

    fileprivate var encoding: String.Encoding {
        switch self {
        case .macRoman: .macOSRoman
        case .windowsLatin1: .windowsCP1252
        case .isoLatin1: .isoLatin1
        case .nextStepLatin: .nextstep
        case .ASCII: .ascii
        case .unicode: .utf16
        case .UTF8: .utf8
        case .nonLossyASCII: .nonLossyASCII
        case .UTF16BE: .utf16BigEndian
        case .UTF16LE: .utf16LittleEndian
        case .UTF32: .utf32
        case .UTF32BE: .utf32BigEndian
        case .UTF32LE: .utf32LittleEndian
        }
    }
}

/// The order of two objects.
public enum CFComparisonResult: CFIndex, Sendable {
    case compareLessThan = -1
    case compareEqualTo = 0
    case compareGreaterThan = 1
}

/// How strings are compared.
public struct CFStringCompareFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// Upper and lower case are the same.
    public static let compareCaseInsensitive = CFStringCompareFlags(rawValue: 1)
    /// From the end.
    public static let compareBackwards = CFStringCompareFlags(rawValue: 4)
    /// At the beginning only, or at the end.
    public static let compareAnchored = CFStringCompareFlags(rawValue: 8)
    /// Composed and decomposed characters are the same.
    public static let compareNonliteral = CFStringCompareFlags(rawValue: 16)
    /// By the rules of the person's language.
    public static let compareLocalized = CFStringCompareFlags(rawValue: 32)
    /// Digits count as numbers.
    public static let compareNumerically = CFStringCompareFlags(rawValue: 64)
    /// Accents do not count.
    public static let compareDiacriticInsensitive = CFStringCompareFlags(rawValue: 128)
    /// Wide and narrow forms are the same.
    public static let compareWidthInsensitive = CFStringCompareFlags(rawValue: 256)
}

/// Makes a string from bytes that end with a zero; nil if they are invalid in the encoding, or it is unknown.
@discardableResult
public func CFStringCreateWithCString(
    _ alloc: CFAllocator!,
    _ cStr: UnsafePointer<CChar>!,
    _ encoding: CFStringEncoding
) -> CFString! {
    guard let cStr = unsafe cStr, let encoding = CFStringBuiltInEncodings(rawValue: encoding)?.encoding,
        let string = unsafe String(cString: cStr, encoding: encoding)
    else { return nil }
    return NSString(string: string)
}

/// A string of the same characters.
@discardableResult
public func CFStringCreateCopy(_ alloc: CFAllocator!, _ theString: CFString!) -> CFString! {
    theString.map { NSString(string: String(describing: $0)) }
}

/// How many UTF-16 units a string has.
@discardableResult
public func CFStringGetLength(_ theString: CFString!) -> CFIndex {
    theString.length
}

/// The order of two strings.
@discardableResult
public func CFStringCompare(
    _ theString1: CFString!,
    _ theString2: CFString!,
    _ compareOptions: CFStringCompareFlags
) -> CFComparisonResult {
    var options: String.CompareOptions = []
    if compareOptions.contains(.compareCaseInsensitive) { options.insert(.caseInsensitive) }
    if compareOptions.contains(.compareNumerically) { options.insert(.numeric) }
    if compareOptions.contains(.compareDiacriticInsensitive) { options.insert(.diacriticInsensitive) }
    if compareOptions.contains(.compareWidthInsensitive) { options.insert(.widthInsensitive) }
    if !compareOptions.contains(.compareNonliteral) { options.insert(.literal) }
    let locale = compareOptions.contains(.compareLocalized) ? Locale.current : nil
    let first = String(describing: theString1 as NSString)
    let second = String(describing: theString2 as NSString)
    return switch first.compare(second, options: options, range: nil, locale: locale) {
    case .orderedAscending: .compareLessThan
    case .orderedDescending: .compareGreaterThan
    default: .compareEqualTo
    }
}
