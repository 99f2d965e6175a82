public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// A key: the public or the private half of a pair.
///
/// Two of them are equal when they are the same half with the same numbers.
public final class SecKey: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and this is all there is to the object.
    //
    // The layout of a public class is part of the module, and no type of an inner module may be: see `Package.swift`.
    private let boxed: AnyObject

    convenience init(_ key: PublicKey) {
        self.init(.publicKey(key))
    }

    init(_ material: KeyMaterial) {
        boxed = Box(material)
    }

    var material: KeyMaterial {
        // Made above and nowhere else.
        unsafe unsafeDowncast(boxed, to: Box.self).material
    }

    /// The public half, of whichever half this is.
    var publicKey: PublicKey {
        switch material {
        case .publicKey(let key): key
        case .privateKey(let key): key.publicKey
        case .enclaveKey(let handle): handle.publicKey
        }
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecKey else { return false }
        return other.half == half && other.publicKey == publicKey
    }

    /// Of an RSA key, two private ones with the same public half differ in nothing that matters.
    private var half: Int {
        switch material {
        case .publicKey: 0
        case .privateKey: 1
        case .enclaveKey: 2
        }
    }

    public override var hash: Int {
        publicKey.hashValue
    }

    public override var description: String {
        let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        let padding = String(repeating: "0", count: max(0, 12 - address.count))
        let details = half == 0 ? publicKey.details : publicKey.detailsOfPrivateKey
        return "<SecKeyRef \(details), addr: 0x\(padding)\(address)>"
    }

    public override var debugDescription: String { description }
}

/// What a key is made of.
@_implementationOnly
enum KeyMaterial: Sendable {
    case publicKey(PublicKey)
    case privateKey(PrivateKey)
    case enclaveKey(EnclaveKeyHandle)

    var isPrivate: Bool {
        if case .publicKey = self { false } else { true }
    }

    /// The private half; nil of a public key.
    var privateKey: PrivateKey? {
        switch self {
        case .publicKey: nil
        case .privateKey(let key): key
        case .enclaveKey(let handle): handle.privateKey
        }
    }

    /// What an item is made of, or found by.
    var reference: ItemReference {
        get throws(KeychainError) {
            switch self {
            case .publicKey(let key): .publicKey(key)
            case .privateKey(let key): .privateKey(of: key.publicKey, try key.externalRepresentation)
            case .enclaveKey(let handle): .enclaveKey(of: handle.publicKey, handle.key)
            }
        }
    }
}

@_implementationOnly
private final class Box: Sendable {
    let material: KeyMaterial

    init(_ material: KeyMaterial) {
        self.material = material
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
        case .ed25519:
            "key type: Ed25519PublicKey, version: 4, block size: \(blockSize * 8) bits, "
                + "key: \(externalRepresentation.hexadecimal)"
        }
    }

    /// The same of its private half: no number of that.
    fileprivate var detailsOfPrivateKey: String {
        switch kind {
        case .rsa: "algorithm id: 1, key type: RSAPrivateKey, version: 4, block size: \(blockSize * 8) bits"
        case .ellipticCurve(let curve, _, _):
            "curve type: kSecECCurveSecp\(curve.sizeInBits)r1, algorithm id: 3, key type: ECPrivateKey, version: 4, "
                + "block size: \(blockSize * 8) bits"
        case .ed25519: "key type: Ed25519PrivateKey, version: 4, block size: \(blockSize * 8) bits"
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
