import Crypto
import Foundation
import KeychainCertificates
import KeychainModel
import SwiftASN1

/// The code that shows that a PKCS #12 file is whole and that its maker knew the password (RFC 7292, section 4; PBMAC1
/// of RFC 9579).
struct PKCS12MAC {
    private enum Hash {
        case sha1
        case sha256
        case sha384
        case sha512

        var size: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    private enum Derivation {
        case own(salt: [UInt8], iterations: Int)
        case pbmac1(KeyDerivation)
    }

    private let hash: Hash
    private let derivation: Derivation
    private let code: [UInt8]

    init(_ node: ASN1Node) throws(KeychainError) {
        var fields = try node.fields()
        var digest = try fields.next().fields()
        let algorithm = try Algorithm(digest.next())
        code = try digest.next().octets()
        try digest.end()
        let salt = try fields.next().octets()
        let iterations = try fields.nextIfAny()?.number() ?? 1
        try fields.end()
        if algorithm.identifier == .pbmac1 {
            var parameters = try algorithm.fields()
            let keys = try KeyDerivation(Algorithm(parameters.next()))
            hash = try Self.hash(ofHMAC: Algorithm(parameters.next()).identifier)
            try parameters.end()
            // RFC 9579, section 4: the size has to be said, and be that of 160 bits at least.
            guard let size = keys.keySize, (20...1024).contains(size) else { throw .malformed }
            derivation = .pbmac1(keys)
        } else {
            hash = try Self.hash(algorithm.identifier)
            guard (1...ExchangeLimits.largestSalt).contains(salt.count) else { throw .malformed }
            derivation = .own(salt: salt, iterations: iterations)
        }
        guard code.count == hash.size else { throw .malformed }
    }

    /// Whether the password made this code of these bytes. It takes the same time wherever codes differ.
    func isValid(
        for bytes: [UInt8],
        _ password: ExchangePassword,
        _ budget: inout WorkBudget
    ) throws(KeychainError) -> Bool {
        let key: SymmetricKey
        switch derivation {
        case .pbmac1(let keys):
            key = try keys.derive(password.utf8, count: keys.keySize ?? hash.size, budget: &budget)
        case .own(let salt, let iterations):
            try budget.spend(iterations, blocks: 1)
            key = Self.key(hash, salt, iterations, password)
        }
        return switch hash {
        case .sha1: HMAC<Insecure.SHA1>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
        case .sha256: HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
        case .sha384: HMAC<SHA384>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
        case .sha512: HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
        }
    }

    /// The MacData for bytes, in DER.
    ///
    /// - Parameter isOld: SHA-1 in the place of SHA-256.
    static func encoded(
        for bytes: [UInt8],
        _ password: ExchangePassword,
        iterations: Int,
        isOld: Bool
    ) -> [UInt8] {
        // macOS was reported not to take a file for the sixteen bytes that another program wrote.
        let salt = PasswordEncryption.randomBytes(8)
        let key = key(isOld ? .sha1 : .sha256, salt, iterations, password)
        let code =
            isOld
            ? Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
            : Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        return Encoding.sequence(
            Encoding.sequence(
                Encoding.sequence(Encoding.object(isOld ? .sha1 : .sha256), Encoding.null),
                Encoding.octets(code)
            ),
            Encoding.octets(salt),
            Encoding.integer(iterations)
        )
    }

    private static func key(
        _ hash: Hash,
        _ salt: [UInt8],
        _ iterations: Int,
        _ password: ExchangePassword
    ) -> SymmetricKey {
        func derive<Function: HashFunction>(_ function: Function.Type) -> SecretBytes {
            PKCS12KeyDerivation.derive(
                function,
                .authentication,
                password: password,
                salt: salt,
                iterations: iterations,
                count: hash.size
            )
        }
        let key =
            switch hash {
            case .sha1: derive(Insecure.SHA1.self)
            case .sha256: derive(SHA256.self)
            case .sha384: derive(SHA384.self)
            case .sha512: derive(SHA512.self)
            }
        return unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    private static func hash(_ identifier: OID) throws(KeychainError) -> Hash {
        switch identifier {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        default: throw .unknownAlgorithm(identifier)
        }
    }

    private static func hash(ofHMAC identifier: OID) throws(KeychainError) -> Hash {
        switch identifier {
        case .hmacWithSHA1: .sha1
        case .hmacWithSHA256: .sha256
        case .hmacWithSHA384: .sha384
        case .hmacWithSHA512: .sha512
        default: throw .unknownAlgorithm(identifier)
        }
    }
}
