import Crypto

/// `authenticatorClientPIN`: tokens for the owner's consent.
extension Authenticator {
    mutating func answer(_ request: ClientPINRequest) throws(CTAPStatus) -> CBORMap {
        switch request {
        case .keyAgreement:
            return [1: COSEKey.agreement(Array(agreement.publicKey.x963Representation))]
        // The enclave counts wrong answers, and slows them down.
        case .verificationRetries: return [5: 8]
        case .token(let version, let key, let scope):
            let shared = try TokenProtocol(version, agreement, with: key)
            guard keychain.canVerify else { throw .notAllowed }
            let consent = try keychain.ask(scope.question)
            // The owner may have taken their time.
            let new = PlatformToken(scope, consent, at: now())
            token = new
            return [2: .bytes(try shared.encrypt(new.bytes))]
        }
    }

    // MARK: - Consent

    /// What the owner has agreed to with a token.
    ///
    /// - Throws: `pinAuthInvalid` where the token is not good for this.
    mutating func consent(
        _ use: TokenUse,
        of message: [UInt8],
        for purpose: TokenPurpose
    ) throws(CTAPStatus) -> Keychain.Consent {
        guard var used = token else { throw .pinAuthInvalid }
        try used.check(use, of: message, for: purpose, at: now())
        token = used
        return used.consent
    }

    /// A token is good for one operation of a site.
    mutating func useUpToken() {
        if case .passkeys = token?.scope { token = nil }
    }

    /// Answers an empty proof, by which platforms of CTAP 2.0 ask which of several devices is meant.
    func answerSelection(_ use: TokenUse?) throws(CTAPStatus) {
        guard let use, use.parameter.isEmpty else { return }
        _ = try keychain.ask(.select)
        throw keychain.canVerify ? .pinInvalid : .pinNotSet
    }
}
