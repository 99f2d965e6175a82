import Foundation
import KeychainCertificates
import KeychainModel
import Testing

@testable import KeychainKeys

/// The code of the error that the body throws; nil if it throws none.
func failure<Value>(_ body: () throws -> Value) -> KeychainError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? KeychainError)?.code ?? .internalError
    }
}

/// The whole error of a call that fails: its code and its words.
func wholeError<Value>(_ body: () throws -> Value) -> String? {
    do {
        _ = try body()
        return nil
    } catch {
        return "\(error)"
    }
}

/// What RSA says of everything that it does not decrypt.
let wrongRSAInput = "invalidParameter: RSAdecrypt wrong input (err -27)"

extension SecretBytes {
    /// What tests may see.
    var revealed: [UInt8] { withUnsafeBytes { Array($0) } }

    convenience init?(hexadecimal: String) {
        guard let bytes = [UInt8](hexadecimal: hexadecimal) else { return nil }
        self.init(bytes)
    }
}

extension [UInt8] {
    init?(hexadecimal: String) {
        let digits = hexadecimal.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == hexadecimal.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }

    /// The bytes with one bit changed.
    func changed(at index: Int, by mask: UInt8 = 1) -> [UInt8] {
        var copy = self
        copy[index] ^= mask
        return copy
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

let curves = EllipticCurve.allCases

extension KeyAlgorithm {
    /// An algorithm by its name, which has to be known.
    static func named(_ identifier: String) throws -> KeyAlgorithm {
        try #require(KeyAlgorithm(identifier: identifier), "\(identifier) is unknown")
    }
}

/// Keys that take long to make, made once.
enum SharedKeys {
    static let rsa1024 = Result { try PrivateKey.generate(.rsa, sizeInBits: 1024) }
    static let rsa2048 = Result { try PrivateKey.generate(.rsa, sizeInBits: 2048) }
    static let rsa4096 = Result { try PrivateKey.generate(.rsa, sizeInBits: 4096) }
}
