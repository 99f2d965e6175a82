package import SwiftASN1

/// An object identifier of any length, by its encoding: the numbers of a hostile one may fit no integer.
package struct OID: Hashable, Sendable, CustomStringConvertible {
    /// The content of the OBJECT IDENTIFIER, without its tag and length.
    package let content: ArraySlice<UInt8>

    package init(_ node: ASN1Node) throws {
        guard node.identifier == .objectIdentifier, case .primitive(let bytes) = node.content, let last = bytes.last,
            last < 0x80
        else { throw Malformed() }
        content = bytes
    }

    /// One of our own, which are all shorter than 128 bytes.
    package init(_ known: ASN1ObjectIdentifier) {
        var serializer = DER.Serializer()
        // It does not fail; if it did, an empty identifier equals none that was read.
        try? serializer.serialize(known)
        content = serializer.serializedBytes.dropFirst(2)
    }

    /// Reads numbers with dots between them.
    ///
    /// - Returns: nil where that is no object identifier, and where a number has more than 57 bits.
    package init?(dotted text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? UInt64(part) : nil
        }
        let numbers = parts.compactMap { $0 }
        guard numbers.count == parts.count, let first = numbers.first, let second = numbers.dropFirst().first,
            first < 2 ? second < 40 : first == 2, numbers.allSatisfy({ $0 < 1 << 57 })
        else { return nil }
        content = ([first * 40 + second] + numbers.dropFirst(2)).flatMap(Self.subidentifier)[...]
    }

    /// Seven bits in each byte; all but the last have the eighth set (ITU-T X.690, section 8.19.2).
    private static func subidentifier(_ number: UInt64) -> [UInt8] {
        var bytes = [UInt8(truncatingIfNeeded: number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes.reversed()
    }

    /// The numbers with dots between them; in hexadecimal where one of them has more than 64 bits, or where there are more
    /// than anybody could read.
    package var description: String {
        guard content.count <= 128, let numbers else {
            return "0x" + content.hexadecimal
        }
        return numbers.map { String($0) }.joined(separator: ".")
    }

    private var numbers: [UInt64]? {
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        for byte in content {
            guard number >> 57 == 0 else { return nil }
            number = number << 7 | UInt64(byte & 0x7F)
            guard byte < 0x80 else { continue }
            if numbers.isEmpty {
                // The first byte is two numbers (ITU-T X.690, section 8.19.4).
                let first = min(number / 40, 2)
                numbers = [first, number - first * 40]
            } else {
                numbers.append(number)
            }
            number = 0
        }
        return numbers
    }
}
