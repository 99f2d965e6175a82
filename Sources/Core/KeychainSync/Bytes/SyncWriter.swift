package import KeychainModel

/// Writes what `SyncReader` reads.
package struct SyncWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }
    package mutating func append(_ hash: SyncHash) { bytes.append(contentsOf: hash.bytes) }

    package mutating func append<Number: FixedWidthInteger & UnsignedInteger>(number: Number) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func append(field: [UInt8]) {
        append(number: UInt32(clamping: field.count))
        bytes += field
    }

    package mutating func append(field secret: SecretBytes) {
        append(number: UInt32(clamping: secret.count))
        unsafe secret.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// - Parameter parts: in any order; they are written in rising order.
    package mutating func append<Part, Key: Comparable>(
        rising parts: [Part],
        by key: (Part) -> Key,
        _ write: (inout SyncWriter, Part) -> Void
    ) {
        append(number: UInt16(clamping: parts.count))
        for part in parts.sorted(by: { key($0) < key($1) }) { write(&self, part) }
    }
}
