/// Writes the data types of RFC 4251, section 5.
package struct SSHWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    package mutating func uint32(_ value: UInt32) {
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    package mutating func string(_ value: some Collection<UInt8>) {
        uint32(UInt32(clamping: value.count))
        bytes += value
    }

    package mutating func string(_ value: String) { string(Array(value.utf8)) }

    /// A number that is not negative, as an mpint.
    package mutating func magnitude(_ value: some Collection<UInt8>) {
        let digits = Array(value.drop { $0 == 0 })
        string((digits.first.map { $0 >= 0x80 } ?? false) ? [0] + digits : digits)
    }
}
