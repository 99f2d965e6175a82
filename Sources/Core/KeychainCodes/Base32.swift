package import KeychainModel

/// Base32 (RFC 4648, section 6), as sites show secrets to people.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    /// Spaces, tabs, line ends and dashes.
    private static let separators = Array(" \t\r\n-".utf8)
    private static let noBreakSpace: [UInt8] = [0xC2, 0xA0]

    /// Takes lower case, and spaces and dashes between the characters. Padding may be missing, but stands only at the
    /// end. The last bits are dropped if they make no whole byte, as in other programs: some sites choose characters at
    /// random.
    ///
    /// 0, 1 and 8 are refused. Some programs take them for O, L and B, others leave them out.
    ///
    /// - Returns: the bytes, of which there may be none. `OneTimeCode` says how many a secret has.
    /// - Throws: `notBase32`.
    package static func decode(_ text: some Collection<UInt8>) throws(CodeFailure) -> SecretBytes {
        let digits = try digits(text)
        let count = digits.count * 5 / 8
        return unsafe SecretBytes(count: count) { target in
            for index in 0..<count {
                // The eight bits lie in two or three digits of five.
                let firstBit = index * 8
                var window: UInt32 = 0
                for digit in (firstBit / 5)..<(firstBit / 5 + 3) {
                    window = window << 5 | UInt32(digit < digits.count ? digits[digit] : 0)
                }
                unsafe target[index] = UInt8(truncatingIfNeeded: window >> UInt32(7 - firstBit % 5))
            }
        }
    }

    /// The values of the characters, each of five bits.
    private static func digits(_ text: some Collection<UInt8>) throws(CodeFailure) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count)
        var isPadding = false
        var rest = text[...]
        while let byte = rest.popFirst() {
            if separators.contains(byte) { continue }
            if byte == noBreakSpace[0], rest.first == noBreakSpace[1] {
                rest = rest.dropFirst()
                continue
            }
            if byte == UInt8(ascii: "=") {
                isPadding = true
                continue
            }
            guard !isPadding, let digit = digit(byte) else { throw .notBase32 }
            digits.append(digit)
        }
        return digits
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): byte - UInt8(ascii: "2") + 26
        default: nil
        }
    }

    /// How many characters so many bytes make, without padding.
    static func length(ofBytes count: Int) -> Int { (count * 8 + 4) / 5 }

    /// Upper case without padding.
    package static func encode(_ secret: SecretBytes) -> SecretBytes {
        unsafe SecretBytes(count: length(ofBytes: secret.count)) { target in unsafe encode(secret, into: target) }
    }

    /// Writes upper case without padding, into room of just that length.
    static func encode(_ secret: SecretBytes, into target: UnsafeMutableRawBufferPointer) {
        unsafe secret.withUnsafeBytes { bytes in
            for index in target.indices {
                let firstBit = index * 5
                let first = firstBit / 8
                let next = unsafe first + 1 < bytes.count ? bytes[first + 1] : 0
                let window = unsafe UInt16(bytes[first]) << 8 | UInt16(next)
                unsafe target[index] = alphabet[Int(window >> UInt16(11 - firstBit % 8)) & 0x1F]
            }
        }
    }
}
