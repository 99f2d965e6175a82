import KeychainCertificates
import SwiftASN1

/// What stands in front of bytes in DER, for secrets, which are never copied into a buffer that grows.
enum DERHeader {
    enum Tag {
        case sequence
        case octetString
        case bitString
        /// Constructed, of the context's own.
        case tagged(UInt8)

        var byte: UInt8 {
            switch self {
            case .sequence: 0x30
            case .octetString: 0x04
            case .bitString: 0x03
            case .tagged(let number): 0xA0 | number
            }
        }
    }

    /// Tag and length (ITU-T X.690, section 8.1).
    ///
    /// - Parameter count: of the bytes that follow.
    static func bytes(_ tag: Tag, count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [tag.byte, UInt8(truncatingIfNeeded: count)] }
        var length: [UInt8] = []
        var rest = count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag.byte, 0x80 | UInt8(truncatingIfNeeded: length.count)] + length
    }

    static func bitString(_ content: [UInt8]) -> [UInt8] {
        bytes(.bitString, count: content.count + 1) + [0] + content
    }

    /// The object identifier of a curve.
    static func name(of curve: EllipticCurve) -> [UInt8] {
        encoded(curve.identifier)
    }

    /// rsaEncryption with NULL (RFC 8017, appendix A.1).
    static var rsaAlgorithm: [UInt8] {
        algorithm(encoded([1, 2, 840, 113549, 1, 1, 1]), [5, 0])
    }

    /// id-ecPublicKey with the curve's name (RFC 5480, section 2.1.1).
    static func curveAlgorithm(_ curve: EllipticCurve) -> [UInt8] {
        algorithm(encoded([1, 2, 840, 10045, 2, 1]), name(of: curve))
    }

    private static func algorithm(_ identifier: [UInt8], _ parameters: [UInt8]) -> [UInt8] {
        bytes(.sequence, count: identifier.count + parameters.count) + identifier + parameters
    }

    private static func encoded(_ identifier: ASN1ObjectIdentifier) -> [UInt8] {
        var serializer = DER.Serializer()
        // Writing identifiers that are known does not fail.
        try? serializer.serialize(identifier)
        return serializer.serializedBytes
    }
}
