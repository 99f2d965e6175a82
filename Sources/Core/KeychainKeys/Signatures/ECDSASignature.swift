package import KeychainCertificates
import SwiftASN1

/// The two numbers of an ECDSA signature, each above zero and below the curve's order.
package struct ECDSASignature: Hashable, Sendable {
    /// r and s, each big-endian and as long as a coordinate (RFC 4754, section 7).
    package let raw: [UInt8]
    private let curve: EllipticCurve

    /// - Returns: nil for another length, and for numbers out of their range.
    package init?(raw: [UInt8], on curve: EllipticCurve) {
        guard raw.count == 2 * curve.coordinateSize else { return nil }
        self.raw = raw
        self.curve = curve
        guard [r, s].allSatisfy(curve.hasNumber) else { return nil }
    }

    /// Reads ECDSA-Sig-Value (RFC 3279, section 2.2.3) in DER.
    ///
    /// - Returns: nil for anything else, numbers that are longer than they have to be and something behind the end included,
    ///   and for numbers out of their range.
    package init?(der: [UInt8], on curve: EllipticCurve) {
        // Two numbers with a byte in front, their headers, and that of the sequence.
        guard der.count <= 2 * (curve.coordinateSize + 1) + 2 * 3 + 3, let numbers = try? Self.numbers(der) else {
            return nil
        }
        let padded = numbers.map { number in
            [UInt8](repeating: 0, count: max(0, curve.coordinateSize - number.count)) + number
        }
        // A number that is too long makes the whole too long: none is shorter than a coordinate.
        self.init(raw: Array(padded.joined()), on: curve)
    }

    private static func numbers(_ der: [UInt8]) throws -> [[UInt8]] {
        try DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
            guard let r = nodes.next()?.positiveInteger, let s = nodes.next()?.positiveInteger else {
                throw ASN1Error.invalidASN1IntegerEncoding(reason: "not above zero")
            }
            return [r, s]
        }
    }

    /// ECDSA-Sig-Value in DER.
    package var der: [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { coder in
            for number in [r, s] {
                let digits = number.drop { $0 == 0 }
                coder.appendPrimitiveNode(identifier: .integer) { bytes in
                    // A first bit would make it negative.
                    if digits.first.map({ $0 >= 0x80 }) ?? true { bytes.append(0) }
                    bytes.append(contentsOf: digits)
                }
            }
        }
        return serializer.serializedBytes
    }

    private var r: [UInt8] { Array(raw.prefix(curve.coordinateSize)) }
    private var s: [UInt8] { Array(raw.suffix(curve.coordinateSize)) }
}

extension EllipticCurve {
    /// Whether a number is above zero and below the order.
    ///
    /// - Parameter number: big-endian, as long as a coordinate.
    fileprivate func hasNumber(_ number: [UInt8]) -> Bool {
        number.contains { $0 != 0 } && number.lexicographicallyPrecedes(order)
    }
}
