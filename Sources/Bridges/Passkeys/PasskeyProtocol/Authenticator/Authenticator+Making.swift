import Crypto
import KeychainModel

/// `authenticatorMakeCredential`.
extension Authenticator {
    mutating func make(_ request: MakeCredentialRequest) throws(CTAPStatus) -> CBORMap {
        try answerSelection(request.token)
        guard request.algorithms.contains(MakeCredentialRequest.es256) else { throw .unsupportedAlgorithm }
        let canVerify = keychain.canVerify
        guard !request.demandsVerification || canVerify else { throw .invalidOption }
        let wishes = try AuthenticatorExtensions.Registration(request.extensions)
        if request.asksForTouch { return try answerToTouch(request, wishes) }
        let purpose = TokenPurpose.make(request.site)
        let byToken = try request.token.map { (use) throws(CTAPStatus) in
            try self.consent(use, of: request.clientDataHash, for: purpose)
        }
        // A passkey that names its account is made for a verified owner alone. libfido2 does not say so itself.
        let isVerified = byToken != nil || request.demandsVerification || request.isDiscoverable && canVerify
        let before = try keychain.passkeys(for: request.site).known
        let agreed = before.map(request.replaced) ?? []
        // The owner agrees before anything is told of what the keychain has.
        var consent: Keychain.Consent
        if let byToken { consent = byToken } else { consent = try keychain.ask(request.question(replacing: agreed)) }
        useUpToken()
        // The owner's answer has unlocked the keychain.
        let after = before == nil ? try keychain.passkeys(for: request.site).known : before
        guard let known = after else { throw .operationDenied }
        let isExcluded = known.contains { passkey in
            (isVerified || passkey.protection != .required) && request.excluded.contains(passkey.id)
        }
        guard !isExcluded else { throw .credentialExcluded }
        let replaced = request.replaced(known)
        if !replaced.isEmpty, byToken != nil || agreed.isEmpty {
            // The question was about another passkey. What has no copy is not deleted without the owner's word.
            consent = try keychain.ask(request.question(replacing: replaced))
        }
        let (passkey, secrets) = try keychain.make(
            NewPasskey(
                site: request.site,
                user: request.user,
                isDiscoverable: request.isDiscoverable,
                protection: wishes.protection ?? .optional,
                blob: wishes.keptBlob
            )
        )
        let data = self.data(of: passkey, wishes, isVerified: isVerified)
        let signature = try keychain.sign(data + request.clientDataHash, with: secrets, by: consent)
        // Only what the site will hear of is kept.
        try keychain.store(passkey, secrets, replacing: replaced)
        return Self.attestation(data, signature)
    }

    /// Answers one of the registrations by which platforms find out which of several devices is meant: with a key that is
    /// kept nowhere.
    private func answerToTouch(
        _ request: MakeCredentialRequest,
        _ wishes: AuthenticatorExtensions.Registration
    ) throws(CTAPStatus) -> CBORMap {
        _ = try keychain.ask(.select)
        let key = P256.Signing.PrivateKey()
        let passkey = Passkey(
            id: RandomBytes.make(32),
            site: request.site,
            user: request.user,
            publicKey: Array(key.publicKey.x963Representation),
            kind: .thisDevice,
            isDiscoverable: false,
            protection: .optional
        )
        let data = self.data(of: passkey, wishes, isVerified: false)
        guard let signature = try? key.signature(for: data + request.clientDataHash) else { throw .other }
        return Self.attestation(data, Array(signature.derRepresentation))
    }

    private func data(
        of passkey: Passkey,
        _ wishes: AuthenticatorExtensions.Registration,
        isVerified: Bool
    ) -> [UInt8] {
        var data = AuthenticatorData(
            site: passkey.site,
            isPresent: true,
            isVerified: isVerified,
            backup: backup(of: passkey)
        )
        data.credential = (Self.aaguid, passkey.id, passkey.publicKey)
        data.extensions = wishes.answers
        return data.bytes
    }

    /// The answer about a new passkey, which its own key has signed (WebAuthn, section 8.2, self attestation).
    private static func attestation(_ data: [UInt8], _ signature: [UInt8]) -> CBORMap {
        [
            1: "packed", 2: .bytes(data),
            3: ["alg": .integer(MakeCredentialRequest.es256), "sig": .bytes(signature)],
        ]
    }
}

extension MakeCredentialRequest {
    /// Whether it is only to be found out whether somebody touches this device: Chromium and libfido2 ask so.
    var asksForTouch: Bool {
        token == nil && !isDiscoverable && user.name == "dummy" && (site.id == ".dummy" || site.id == "localhost")
    }

    /// One account has one discoverable passkey (CTAP 2.1, section 6.1.2).
    fileprivate func replaced(_ known: [Passkey]) -> [Passkey] {
        isDiscoverable ? known.filter { $0.isDiscoverable && $0.user.id == user.id } : []
    }

    fileprivate func question(replacing replaced: [Passkey]) -> PasskeyQuestion {
        replaced.first.map { .replace(site: site, old: $0.user) } ?? .make(site: site, user: user)
    }
}
