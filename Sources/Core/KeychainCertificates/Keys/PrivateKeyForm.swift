import SwiftASN1

/// The external representation of a private key, of which only the form is judged: nothing is kept.
package enum PrivateKeyForm {
    /// Whether bytes are an RSAPrivateKey (RFC 8017, appendix A.1.2) of two primes.
    package static func isRSA(_ bytes: [UInt8]) -> Bool {
        guard let integers = try? integers(bytes) else { return false }
        // The version, the modulus, the public exponent and six more.
        guard integers.count == 9, integers.first?.elementsEqual([0]) ?? false else { return false }
        var key = DER.Serializer()
        key.appendConstructedNode(identifier: .sequence) { coder in
            for integer in integers[1...2] {
                coder.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: integer) }
            }
        }
        return PublicKey(rsa: key.serializedBytes) != nil
    }

    /// Whether bytes are an uncompressed point with the private number behind it.
    package static func isEllipticCurve(_ bytes: [UInt8]) -> Bool {
        let point = 1 + (bytes.count - 1) / 3 * 2
        guard bytes.count > 1, (bytes.count - 1).isMultiple(of: 3) else { return false }
        return PublicKey(point: Array(bytes.prefix(point))) != nil
    }

    private static func integers(_ bytes: [UInt8]) throws -> [ArraySlice<UInt8>] {
        var integers: [ArraySlice<UInt8>] = []
        try DER.parse(bytes).forEachChild(of: .sequence) { node in
            guard node.identifier == .integer, case .primitive(let content) = node.content else { throw Malformed() }
            integers.append(content)
        }
        return integers
    }
}
