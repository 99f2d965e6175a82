/// What an authenticator signs (WebAuthn, section 6.1).
struct AuthenticatorData {
    /// Whether another device may have the passkey too, and has it (the flags BE and BS). The first never changes.
    enum Backup { case never, possible, done }

    let site: RelyingParty
    let isPresent: Bool
    let isVerified: Bool
    let backup: Backup
    /// Of a new passkey.
    var credential: (aaguid: [UInt8], identifier: [UInt8], publicKey: [UInt8])?
    var extensions = CBORMap()

    var bytes: [UInt8] {
        var flags: UInt8 = 0
        if isPresent { flags |= 0x01 }
        if isVerified { flags |= 0x04 }
        switch backup {
        case .never: break
        case .possible: flags |= 0x08
        case .done: flags |= 0x18
        }
        if credential != nil { flags |= 0x40 }
        if !extensions.isEmpty { flags |= 0x80 }
        // The counter stays 0: devices that share a passkey have none in common (WebAuthn, section 6.1.1).
        var bytes = site.digest + [flags, 0, 0, 0, 0]
        if let (aaguid, identifier, publicKey) = credential {
            let count = UInt16(clamping: identifier.count)
            bytes += aaguid + [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)] + identifier
            bytes += COSEKey.es256(publicKey).encoded
        }
        if !extensions.isEmpty { bytes += CBORValue.map(extensions).encoded }
        return bytes
    }
}
