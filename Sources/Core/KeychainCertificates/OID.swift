import SwiftASN1

/// An object identifier of any length, by its encoding: the numbers of a hostile one may fit no integer.
package struct OID: Hashable, Sendable, CustomStringConvertible {
    private let content: ArraySlice<UInt8>

    init(_ node: ASN1Node) throws {
        guard node.identifier == .objectIdentifier, case .primitive(let bytes) = node.content, let last = bytes.last,
            last < 0x80
        else { throw Malformed() }
        content = bytes
    }

    /// One of our own, which are all shorter than 128 bytes.
    init(_ known: ASN1ObjectIdentifier) {
        var serializer = DER.Serializer()
        // It does not fail; if it did, an empty identifier equals none that was read.
        try? serializer.serialize(known)
        content = serializer.serializedBytes.dropFirst(2)
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
