public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates

/// A key. So far it is always the public half of a pair.
///
/// Two of them are equal when they are the same half with the same numbers.
public final class SecKey: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and this is all there is to the object.
    //
    // The layout of a public class is part of the module, and no type of an inner module may be: see `Package.swift`.
    private let boxed: AnyObject

    init(_ key: PublicKey) {
        boxed = Box(key)
    }

    var publicKey: PublicKey {
        // Made above and nowhere else.
        unsafe unsafeDowncast(boxed, to: Box.self).key
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecKey)?.publicKey == publicKey
    }

    public override var hash: Int {
        publicKey.hashValue
    }

    public override var description: String {
        let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        let padding = String(repeating: "0", count: max(0, 12 - address.count))
        return "<SecKeyRef \(publicKey.details), addr: 0x\(padding)\(address)>"
    }

    public override var debugDescription: String { description }
}

@_implementationOnly
private final class Box: Sendable {
    let key: PublicKey

    init(_ key: PublicKey) {
        self.key = key
    }
}

extension SecKey: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0003
}

/// The type identifier of keys.
@discardableResult
public func SecKeyGetTypeID() -> CFTypeID {
    SecKey.cfTypeID
}

extension PublicKey {
    /// What a key's description says of it, in the order and the words that programs see on Apple's systems.
    fileprivate var details: String {
        switch kind {
        case .rsa(let modulus, let exponent):
            "algorithm id: 1, key type: RSAPublicKey, version: 4, \(sizeInBits) bits (block size: \(blockSize)), "
                + "exponent: {hex: \(exponent.number), decimal: \(exponent.decimal)}, modulus: \(modulus.hexadecimal)"
        case .ellipticCurve(let curve, let x, let y):
            "curve type: kSecECCurveSecp\(curve.sizeInBits)r1, algorithm id: 3, key type: ECPublicKey, version: 4, "
                + "block size: \(blockSize * 8) bits, y: \(y.hexadecimal), x: \(x.hexadecimal)"
        }
    }
}

extension [UInt8] {
    /// A number in base 16, without leading zeros.
    fileprivate var number: String {
        String(hexadecimal.drop { $0 == "0" })
    }

    /// A number in base 10, if it fits into a machine word: no exponent in use does not.
    fileprivate var decimal: String {
        UInt64(number, radix: 16).map { String($0) } ?? "more than 64 bits"
    }
}
