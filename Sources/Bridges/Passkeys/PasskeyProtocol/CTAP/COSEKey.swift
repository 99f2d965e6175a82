/// Keys on P-256 as COSE has them (RFC 9053, section 7.1.1).
enum COSEKey {
    /// The public key of ECDSA with SHA-256.
    ///
    /// - Parameter point: X9.63, 65 bytes.
    static func es256(_ point: [UInt8]) -> CBORValue { key(point, algorithm: -7) }

    /// A public key for an agreement (CTAP 2.1, section 6.5.6).
    static func agreement(_ point: [UInt8]) -> CBORValue { key(point, algorithm: -25) }

    private static func key(_ point: [UInt8], algorithm: Int64) -> CBORValue {
        .map([
            1: 2, 3: .integer(algorithm), -1: 1, -2: .bytes(Array(point.dropFirst().prefix(32))),
            -3: .bytes(Array(point.suffix(32))),
        ])
    }

    /// - Returns: the point in X9.63.
    /// - Throws: where the map is no public key on P-256.
    static func point(of map: CBORMap) throws(CTAPStatus) -> [UInt8] {
        let key = try CTAPMap(.map(map))
        let (x, y) = (try key.bytes(-2), try key.bytes(-3))
        guard try key.required(1, \.integer) == 2, try key.required(-1, \.integer) == 1, x.count == 32, y.count == 32
        else { throw .invalidParameter }
        return [4] + x + y
    }
}
