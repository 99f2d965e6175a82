import Crypto
package import KeychainModel

/// A passkey as an item of a keychain has it (docs/formats/passkey.md): its attributes have the names, `kSecAttrGeneric` a
/// map of what else is not secret, and the value one of the secrets.
package enum PasskeyFormat {
    private static let version: CBORValue = 1

    /// The bytes of `kSecAttrGeneric`.
    package static func description(of passkey: Passkey) -> [UInt8] {
        CBORValue.map([
            0: version, 1: .bytes(passkey.user.id), 2: .text(passkey.user.name), 3: .text(passkey.user.displayName),
            4: .bytes(passkey.publicKey), 5: .integer(Int64(passkey.kind.rawValue)),
            6: .boolean(passkey.isDiscoverable), 7: .integer(Int64(passkey.protection.rawValue)),
        ]).encoded
    }

    /// - Returns: nil for bytes that are no such map, for one of a later version, and for names that no passkey has: other
    ///   devices may have written them.
    package static func passkey(site: String, id: [UInt8], description: [UInt8]) -> Passkey? {
        guard let site = try? RelyingParty(site), (1...CredentialDescriptor.longestIdentifier).contains(id.count),
            let map = (try? CBORValue(decoding: description))?.map, map[0] == version,
            let user = map[1]?.bytes, (1...64).contains(user.count), let name = map[2]?.text,
            let displayName = map[3]?.text, let publicKey = map[4]?.bytes,
            (try? P256.Signing.PublicKey(x963Representation: publicKey)) != nil,
            let kind = map[5]?.integer.flatMap(UInt8.init(exactly:)).flatMap(Passkey.Kind.init),
            let isDiscoverable = map[6]?.boolean,
            let protection = map[7]?.integer.flatMap(UInt8.init(exactly:)).flatMap(Passkey.Protection.init)
        else { return nil }
        return Passkey(
            id: id,
            site: site,
            user: Passkey.User(id: user, name: name, displayName: displayName),
            publicKey: publicKey,
            kind: kind,
            isDiscoverable: isDiscoverable,
            protection: protection
        )
    }

    /// The bytes of the item's value.
    package static func value(of secrets: PasskeySecrets) -> SecretBytes {
        let key: (CBORValue, SecretBytes) =
            switch secrets.key {
            case .scalar(let scalar): (1, scalar)
            case .inEnclave(let blob): (2, blob)
            }
        return SecretBytes(
            CBORValue.map([
                0: version, key.0: .bytes(key.1.copied), 3: .bytes(secrets.verifiedSeed.copied),
                4: .bytes(secrets.unverifiedSeed.copied), 5: .bytes(secrets.blob),
            ]).encoded
        )
    }

    /// - Returns: nil for bytes that are no such map, and for one of a later version.
    package static func secrets(_ value: SecretBytes) -> PasskeySecrets? {
        guard let map = (try? CBORValue(decoding: value.copied))?.map, map[0] == version,
            let verified = map[3]?.bytes, verified.count == 32, let unverified = map[4]?.bytes, unverified.count == 32,
            let blob = map[5]?.bytes, blob.count <= 32
        else { return nil }
        let key: PasskeySecrets.PrivateKey
        switch (map[1]?.bytes, map[2]?.bytes) {
        case (let scalar?, nil) where scalar.count == 32: key = .scalar(SecretBytes(scalar))
        case (nil, let sealed?): key = .inEnclave(SecretBytes(sealed))
        default: return nil
        }
        return PasskeySecrets(
            key: key,
            verifiedSeed: SecretBytes(verified),
            unverifiedSeed: SecretBytes(unverified),
            blob: blob
        )
    }
}
