import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

/// What a program asks a key to be, read from a dictionary of attributes. Numbers may be spelled as text, as the
/// constants are.
@_implementationOnly
struct KeyDescription {
    let type: KeyType
    let sizeInBits: Int?

    /// Reads the type and the size that a new key is to have.
    ///
    /// - Throws: `invalidParameter` for a type that is missing or unknown, and a size that keys of the type do not
    ///   have.
    init(ofNewKey attributes: CFDictionary) throws(KeychainError) {
        guard let number = Self.number(attributes[kSecAttrKeyType]), let type = KeyType(rawValue: number) else {
            throw KeychainError(.invalidParameter, "kSecAttrKeyType is missing, or no type of keys that are pairs")
        }
        self.type = type
        let size = attributes[kSecAttrKeySizeInBits]
        sizeInBits = Self.number(size)
        // The enclave has keys of one size, which need not be said.
        let isOnToken = attributes[kSecAttrTokenID] != nil
        guard isOnToken && size == nil || type.hasKeys(ofSize: sizeInBits) else {
            throw KeychainError(.invalidParameter, "kSecAttrKeySizeInBits is missing, or no size of keys of that type")
        }
        guard !isOnToken || type == .ellipticCurve && (size == nil || sizeInBits == 256) else {
            throw KeychainError(.invalidParameter, "a token has keys on P-256 only")
        }
    }

    /// `kSecAttrTokenOID`, which is no public constant: what a token makes a key of.
    static var tokenObject: NSString { "toid" }

    /// A number, or text that is one in its shortest form.
    static func number(_ value: Any?) -> Int? {
        switch value {
        case let text as String: Int(text).flatMap { String($0) == text ? $0 : nil }
        case let number as NSNumber: isBoolean(number) ? nil : Int(exactly: number.doubleValue)
        default: nil
        }
    }
}

/// The types of keys that are pairs, by the values of `kSecAttrKeyType`.
enum KeyType: Int {
    case rsa = 42
    case ellipticCurve = 73
    case ed25519 = 105
    case x25519 = 106
    case ed448 = 107
    case x448 = 108
    case kyber = 109
    case mlKEM = 110
    case mlDSA = 111

    func hasKeys(ofSize size: Int?) -> Bool {
        switch (self, size) {
        case (.rsa, let size?): (512...8192).contains(size)
        case (.ellipticCurve, let size?): [192, 224, 256, 384, 521].contains(size)
        case (.rsa, nil), (.ellipticCurve, nil): false
        // Their names say all; the functions that make keys judge the rest of the dictionary.
        default: true
        }
    }
}
