package import Foundation

/// A tag, a length and what follows.
package func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
        length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
        rest >>= 8
    }
    return content.count < 0x80
        ? [tag, UInt8(content.count)] + content : [tag, 0x80 | UInt8(length.count)] + length + content
}

/// A certificate of given parts, whatever is in them. Nobody has signed it.
package struct CraftedCertificate {
    /// The version field with its tag; empty for version 1.
    package var version: [UInt8] = [0xA0, 0x03, 0x02, 0x01, 0x02]
    /// The content of the INTEGER.
    package var serialNumber: [UInt8] = [0x01]
    /// ecdsa-with-SHA256.
    package var algorithm = der(0x30, [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
    /// What stands beside the signature; nil for the same.
    package var outerAlgorithm: [UInt8]?
    package var issuer = name([(commonName, der(0x0C, Array("Issuer".utf8)))])
    package var validity = der(
        0x30,
        der(0x17, Array("200101000000Z".utf8)) + der(0x17, Array("400101000000Z".utf8))
    )
    package var subject = name([(commonName, der(0x0C, Array("Subject".utf8)))])
    /// A SubjectPublicKeyInfo.
    package var publicKey = unknownKey
    /// Whole extensions; nil leaves the field out.
    package var extensions: [[UInt8]]?
    package var extensionsTag: UInt8 = 0xA3
    package var signature: [UInt8] = der(0x03, [0x00, 0x01])
    package var trailer: [UInt8] = []

    package init() {}

    package var bytes: [UInt8] {
        var signed = version + der(0x02, serialNumber) + algorithm + issuer + validity + subject + publicKey
        if let extensions { signed += der(extensionsTag, der(0x30, extensions.flatMap { $0 })) }
        return der(0x30, der(0x30, signed) + (outerAlgorithm ?? algorithm) + signature) + trailer
    }

    package var data: Data { Data(bytes) }

    // MARK: - Parts

    /// Attribute types, as DER.
    package static let commonName: [UInt8] = [0x06, 0x03, 0x55, 0x04, 0x03]
    package static let organization: [UInt8] = [0x06, 0x03, 0x55, 0x04, 0x0A]
    package static let organizationalUnit: [UInt8] = [0x06, 0x03, 0x55, 0x04, 0x0B]
    package static let subjectAlternativeName: [UInt8] = [0x06, 0x03, 0x55, 0x1D, 0x11]

    /// A key of a kind that does not exist.
    package static let unknownKey = der(
        0x30,
        der(0x30, [0x06, 0x03, 0x2A, 0x03, 0x04]) + der(0x03, [0x00, 0x01, 0x02])
    )

    /// A Name with one attribute in each part.
    package static func name(_ attributes: [(type: [UInt8], value: [UInt8])]) -> [UInt8] {
        der(0x30, attributes.flatMap { der(0x31, der(0x30, $0.type + $0.value)) })
    }

    /// An extension that is not critical.
    package static func element(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
        der(0x30, type + der(0x04, value))
    }

    /// The same, critical.
    package static func criticalElement(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
        der(0x30, type + [0x01, 0x01, 0xFF] + der(0x04, value))
    }

    /// A SubjectPublicKeyInfo of an elliptic curve.
    ///
    /// - Parameter unusedBits: the first byte of the BIT STRING.
    package static func key(onCurve curve: [UInt8], point: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] {
        let type: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        return der(0x30, der(0x30, type + curve) + der(0x03, [unusedBits] + point))
    }

    /// The identifiers of curves, as DER.
    package static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    package static let p384: [UInt8] = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]

    /// A SubjectPublicKeyInfo of RSA.
    package static func rsaKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let type: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let key = der(0x30, der(0x02, modulus) + der(0x02, exponent))
        return der(0x30, der(0x30, type + [0x05, 0x00]) + der(0x03, [0x00] + key))
    }
}
