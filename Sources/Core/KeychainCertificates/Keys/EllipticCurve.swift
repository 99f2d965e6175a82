import Crypto

/// A curve over a prime field whose points are public keys (SEC 2).
package enum EllipticCurve: Sendable {
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
