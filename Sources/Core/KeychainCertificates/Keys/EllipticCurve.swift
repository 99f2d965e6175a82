import Crypto

/// A curve over a prime field whose points are public keys (SEC 2).
package enum EllipticCurve: Sendable, CaseIterable {
    case p256
    case p384
    case p521

    /// The curve that has a key of so many bits, if there is one.
    package init?(sizeInBits: Int) {
        switch sizeInBits {
        case 256: self = .p256
        case 384: self = .p384
        case 521: self = .p521
        default: return nil
        }
    }

    package var sizeInBits: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// The bytes of one coordinate.
    package var coordinateSize: Int { (sizeInBits + 7) / 8 }

    /// The number of points, big-endian, as long as a coordinate. Every number below it but zero is a private key.
    package var order: [UInt8] {
        switch self {
        case .p256:
            [
                0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
        case .p384:
            [UInt8](repeating: 0xFF, count: 24) + [
                0xC7, 0x63, 0x4D, 0x81, 0xF4, 0x37, 0x2D, 0xDF, 0x58, 0x1A, 0x0D, 0xB2, 0x48, 0xB0, 0xA7, 0x7A,
                0xEC, 0xEC, 0x19, 0x6A, 0xCC, 0xC5, 0x29, 0x73,
            ]
        case .p521:
            [0x01] + [UInt8](repeating: 0xFF, count: 32) + [
                0xFA, 0x51, 0x86, 0x87, 0x83, 0xBF, 0x2F, 0x96, 0x6B, 0x7F, 0xCC, 0x01, 0x48, 0xF7, 0x09, 0xA5,
                0xD0, 0x3B, 0xB5, 0xC9, 0xB8, 0x89, 0x9C, 0x47, 0xAE, 0xBB, 0x6F, 0xB7, 0x1E, 0x91, 0x38, 0x64,
                0x09,
            ]
        }
    }

    /// Whether bytes are an uncompressed point (X9.63: 04, then both coordinates) and the point is on the curve.
    func hasPoint(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == 4, bytes.count == 1 + 2 * coordinateSize else { return false }
        return switch self {
        case .p256: (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
        case .p384: (try? P384.Signing.PublicKey(x963Representation: bytes)) != nil
        case .p521: (try? P521.Signing.PublicKey(x963Representation: bytes)) != nil
        }
    }
}
