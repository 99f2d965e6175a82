import Crypto
import KeychainModel

/// A passkey as the format has it. Bytes are in Base64url.
struct CXFPasskey: Decodable {
    var credentialId: String
    var rpId: String
    var username: String?
    var userDisplayName: String?
    var userHandle: String
    var key: String
    var extensions: Extensions?

    private enum CodingKeys: String, CodingKey {
        case credentialId, rpId, username, userDisplayName, userHandle, key
        case extensions = "fido2Extensions"
    }

    var passkey: ImportedPasskey {
        var passkey = ImportedPasskey()
        do throws(Refusal) {
            passkey.site = try Self.name(rpId, within: 1...ImportedPasskey.longestSite)
            passkey.userName = try Self.name(username ?? "", within: 0...CXF.longestName)
            passkey.userDisplayName = try Self.name(userDisplayName ?? "", within: 0...CXF.longestName)
            passkey.credentialID = try Self.bytes(credentialId, within: 1...ImportedPasskey.longestCredentialID)
            passkey.userHandle = try Self.bytes(userHandle, within: 1...ImportedPasskey.longestUserHandle)
            passkey.key = try Self.privateKey(key)
        } catch {
            passkey.refusal = error.rawValue
        }
        extensions?.add(to: &passkey)
        return passkey
    }

    private enum Refusal: String, Error {
        case names = "with a name that is empty or too long"
        case bytes = "with an identifier that is damaged, empty or too long"
        case key = "with a key that is damaged or not for P-256 (ES256)"
    }

    private static func name(_ text: String, within sizes: ClosedRange<Int>) throws(Refusal) -> String {
        guard sizes.contains(text.utf8.count) else { throw .names }
        return text
    }

    private static func bytes(_ text: String, within sizes: ClosedRange<Int>) throws(Refusal) -> [UInt8] {
        guard let bytes = Base64URL.decode(text.utf8), sizes.contains(bytes.count) else { throw .bytes }
        return bytes
    }

    /// In one form, whatever the other program has left out.
    private static func privateKey(_ text: String) throws(Refusal) -> SecretBytes {
        guard let bytes = Base64URL.decode(text.utf8),
            let key = try? P256.Signing.PrivateKey(derRepresentation: bytes)
        else { throw .key }
        return SecretBytes(key.derRepresentation)
    }

    /// What the passkey has for extensions of WebAuthn and CTAP.
    struct Extensions: Decodable {
        private var seeds: ImportedPasskey.Seeds?
        private var blob: [UInt8] = []
        private var unplaced: [String] = []

        private enum Key: String, CodingKey { case hmacCredentials, credBlob, largeBlob, payments }

        private struct Seeds: Decodable {
            var algorithm: String
            var credWithUV: String
            var credWithoutUV: String

            var seeds: ImportedPasskey.Seeds? {
                let seeds = [credWithUV, credWithoutUV].compactMap { Base64URL.decode($0.utf8) }
                let size = ImportedPasskey.Seeds.size
                guard algorithm == "hmac-sha256", seeds.map(\.count) == [size, size] else { return nil }
                return ImportedPasskey.Seeds(verified: SecretBytes(seeds[0]), unverified: SecretBytes(seeds[1]))
            }
        }

        /// Never throws: the passkey is good without its extensions, and those that are not taken are named.
        init(from decoder: any Decoder) {
            guard let container = try? decoder.container(keyedBy: Key.self),
                let names = try? CXFMemberNames(from: decoder).names
            else {
                unplaced = ["fido2Extensions"]
                return
            }
            func has(_ key: Key) -> Bool { container.contains(key) && (try? container.decodeNil(forKey: key)) != true }
            if has(.hmacCredentials) {
                seeds = (try? container.decode(Seeds.self, forKey: .hmacCredentials))?.seeds
                if seeds == nil { unplaced.append(Key.hmacCredentials.rawValue) }
            }
            if has(.credBlob) {
                let text = try? container.decode(String.self, forKey: .credBlob)
                let bytes = text.flatMap { Base64URL.decode($0.utf8) } ?? []
                if (1...ImportedPasskey.longestBlob).contains(bytes.count) {
                    blob = bytes
                } else {
                    unplaced.append(Key.credBlob.rawValue)
                }
            }
            if has(.largeBlob) { unplaced.append(Key.largeBlob.rawValue) }
            if has(.payments), (try? container.decode(Bool.self, forKey: .payments)) != false {
                unplaced.append(Key.payments.rawValue)
            }
            if names.contains(where: { Key(rawValue: $0) == nil }) { unplaced.append("other extensions") }
        }

        func add(to passkey: inout ImportedPasskey) {
            passkey.seeds = seeds
            passkey.blob = blob
            passkey.unplaced += unplaced
        }
    }
}
