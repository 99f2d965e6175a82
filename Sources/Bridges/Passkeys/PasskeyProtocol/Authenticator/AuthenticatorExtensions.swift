import Crypto
import KeychainModel

/// The extensions of a request (CTAP 2.1, section 12). Those that are not known are ignored.
struct AuthenticatorExtensions {
    static let longestBlob = 32

    // MARK: - Of a registration

    struct Registration {
        /// nil where the site demands none.
        let protection: Passkey.Protection?
        let wantsSecret: Bool
        /// nil where the site sends none.
        let blob: [UInt8]?

        init(_ map: CBORMap) throws(CTAPStatus) {
            let map = try CTAPMap(.map(map))
            protection = try map.optional("credProtect") { value in
                value.integer.flatMap(UInt8.init(exactly:)).flatMap(Passkey.Protection.init)
            }
            wantsSecret = try map.optional("hmac-secret", \.boolean) ?? false
            blob = try map.optional("credBlob", \.bytes)
        }

        /// What is kept of the blob.
        var keptBlob: [UInt8] { (blob?.count ?? 0) <= longestBlob ? blob ?? [] : [] }

        var answers: CBORMap {
            var answers = CBORMap()
            if let protection { answers["credProtect"] = .integer(Int64(protection.rawValue)) }
            if wantsSecret { answers["hmac-secret"] = true }
            if let blob { answers["credBlob"] = .boolean(blob.count <= longestBlob) }
            return answers
        }
    }

    // MARK: - Of a log-in

    struct LogIn: Sendable {
        let wantsBlob: Bool
        /// How the site's salts came, and these; nil where it wants no secrets.
        let salts: (shared: TokenProtocol, salts: [[UInt8]])?

        init(_ map: CBORMap, _ agreement: P256.KeyAgreement.PrivateKey) throws(CTAPStatus) {
            let map = try CTAPMap(.map(map))
            wantsBlob = try map.optional("credBlob", \.boolean) ?? false
            guard let wish = try map.map("hmac-secret") else {
                salts = nil
                return
            }
            guard
                let version = TokenProtocol.Version(rawValue: try wish.optional(4, \.integer) ?? 1)
            else { throw .invalidParameter }
            let shared = try TokenProtocol(version, agreement, with: try wish.required(1, \.map))
            let sealed = try wish.bytes(2)
            guard shared.isValid(try wish.bytes(3), of: sealed) else { throw .pinAuthInvalid }
            let bytes = try shared.decrypt(sealed)
            guard bytes.count == 32 || bytes.count == 64 else { throw .invalidParameter }
            salts = (shared, bytes.count == 32 ? [bytes] : [Array(bytes.prefix(32)), Array(bytes.suffix(32))])
        }

        func answers(_ secrets: PasskeySecrets, isVerified: Bool) throws(CTAPStatus) -> CBORMap {
            var answers = CBORMap()
            if wantsBlob { answers["credBlob"] = .bytes(secrets.blob) }
            if let (shared, salts) = salts {
                let seed = isVerified ? secrets.verifiedSeed : secrets.unverifiedSeed
                let key = SymmetricKey(data: seed.copied)
                let outputs = salts.flatMap { Array(HMAC<SHA256>.authenticationCode(for: $0, using: key)) }
                answers["hmac-secret"] = .bytes(try shared.encrypt(outputs))
            }
            return answers
        }
    }
}
