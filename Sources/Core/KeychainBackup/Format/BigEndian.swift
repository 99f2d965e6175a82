extension [UInt8] {
    /// Appends a number, its highest byte first.
    mutating func append<Number: FixedWidthInteger>(number: Number) {
        unsafe Swift.withUnsafeBytes(of: number.bigEndian) { unsafe append(contentsOf: $0) }
    }
}

extension Collection<UInt8> {
    /// The number that the bytes are, the highest first. For at most eight.
    var bigEndian: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
