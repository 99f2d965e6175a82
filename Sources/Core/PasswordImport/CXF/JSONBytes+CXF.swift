import KeychainCodes
import KeychainModel

/// The credentials of an entry.
extension JSONBytes {
    mutating func login(userName: String, password: SecretBytes) {
        mark("{")
        member("type", "basic-auth")
        if !userName.isEmpty { field("username", "string") { $0.string(userName.utf8) } }
        if password.count > 0 { field("password", "concealed-string") { $0.string(password) } }
        mark("}")
    }

    mutating func code(_ code: OneTimeCode) {
        mark("{")
        member("type", "totp")
        member("secret")
        string(Base32.encode(code.secret))
        member("period")
        number(Int64(code.period))
        member("digits")
        number(Int64(code.digits))
        if !code.account.isEmpty { member("username", code.account) }
        member("algorithm", code.algorithm.rawValue.lowercased())
        if !code.issuer.isEmpty { member("issuer", code.issuer) }
        mark("}")
    }

    mutating func note(_ text: String) {
        mark("{")
        member("type", "note")
        field("content", "string") { $0.string(text.utf8) }
        mark("}")
    }

    mutating func passkey(_ passkey: ImportedPasskey) {
        mark("{")
        member("type", "passkey")
        member("credentialId")
        base64URL(passkey.credentialID)
        member("rpId", passkey.site)
        member("username", passkey.userName)
        member("userDisplayName", passkey.userDisplayName)
        member("userHandle")
        base64URL(passkey.userHandle)
        member("key")
        base64URL(passkey.key)
        if passkey.seeds != nil || !passkey.blob.isEmpty { extensions(of: passkey) }
        mark("}")
    }

    private mutating func extensions(of passkey: ImportedPasskey) {
        member("fido2Extensions")
        mark("{")
        if let seeds = passkey.seeds {
            member("hmacCredentials")
            mark("{")
            member("algorithm", "hmac-sha256")
            member("credWithUV")
            base64URL(seeds.verified)
            member("credWithoutUV")
            base64URL(seeds.unverified)
            mark("}")
        }
        if !passkey.blob.isEmpty {
            member("credBlob")
            base64URL(passkey.blob)
        }
        mark("}")
    }

    /// Text that a person can change.
    private mutating func field(_ name: String, _ type: String, _ value: (inout JSONBytes) -> Void) {
        member(name)
        mark("{")
        member("fieldType", type)
        member("value")
        value(&self)
        mark("}")
    }
}
