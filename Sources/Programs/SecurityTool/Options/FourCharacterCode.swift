import ArgumentParser

/// Four characters that stand for a number, as creators and types do on a Mac.
struct FourCharacterCode: ExpressibleByArgument {
    let number: UInt32

    init(number: UInt32) {
        self.number = number
    }

    /// Takes four ASCII characters, or a number as `0x6E6F7465`.
    init?(argument: String) {
        let bytes = Array(argument.utf8)
        if bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) {
            number = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        } else if argument.hasPrefix("0x"), let value = UInt32(argument.dropFirst(2), radix: 16) {
            number = value
        } else {
            return nil
        }
    }

    /// The characters, if all four can be printed.
    var text: String? {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        return bytes.allSatisfy(AttributeText.isPrintable) ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

/// The four characters of a protocol or a way to authenticate, which are stored as text.
///
/// Apple's codes that are shorter end with blanks (`"ftp "`); they need not be typed.
struct FourCharacterText: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        let count = argument.utf8.count
        guard 1...4 ~= count, argument.utf8.allSatisfy(AttributeText.isPrintable) else { return nil }
        text = argument + String(repeating: " ", count: 4 - count)
    }
}
