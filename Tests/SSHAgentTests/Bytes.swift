/// Messages as tests write them: independently of the code that is tested.
func u32(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}

func string(_ bytes: [UInt8]) -> [UInt8] { u32(bytes.count) + bytes }
func string(_ text: String) -> [UInt8] { string(Array(text.utf8)) }

/// A number that is not negative, as RFC 4251 writes it.
func mpint(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    return string(digits.first.map { $0 > 127 } == true ? [0] + digits : digits)
}
