import Crypto

/// `authenticatorGetAssertion` and `authenticatorGetNextAssertion`.
extension Authenticator {
    mutating func assert(_ request: GetAssertionRequest, on channel: UInt32) throws(CTAPStatus) -> CBORMap {
        try answerSelection(request.token)
        let byToken = try request.token.map { (use) throws(CTAPStatus) in
            try self.consent(use, of: request.clientDataHash, for: .use(request.site))
        }
        guard !request.demandsVerification || keychain.canVerify else { throw .invalidOption }
        let isVerified = byToken != nil || request.demandsVerification
        let extensions = try AuthenticatorExtensions.LogIn(request.extensions, agreement)
        let before = try keychain.passkeys(for: request.site).known
        guard request.asksPerson else {
            guard extensions.salts == nil else { throw .unsupportedOption }
            // Only who was verified by a token: nobody is asked here.
            return try answerToProbe(request, before ?? [], isVerified: byToken != nil)
        }
        var usable = before.map { request.usable($0, isVerified: isVerified) }
        // Who names a passkey may learn that it is absent, as the standard has it. Else the owner is asked first.
        if let usable, usable.isEmpty, request.namesCredentials, byToken != nil || !request.demandsVerification {
            throw .noCredentials
        }
        let consent: Keychain.Consent
        if let byToken {
            consent = byToken
        } else {
            consent = try keychain.ask(.use(site: request.site, users: request.signing(usable ?? []).map(\.user)))
        }
        useUpToken()
        if usable == nil {
            // The owner's answer has unlocked the keychain.
            usable = try keychain.passkeys(for: request.site).known.map { request.usable($0, isVerified: isVerified) }
        }
        let signing = request.signing(usable ?? [])
        guard let first = signing.first else { throw .noCredentials }
        let order = AssertionOrder(
            site: request.site,
            clientDataHash: request.clientDataHash,
            extensions: extensions,
            isVerified: isVerified,
            consent: consent,
            namesUsers: signing.count > 1 && isVerified
        )
        var answer = try assertion(first, order)
        if signing.count > 1 { answer[5] = .integer(Int64(signing.count)) }
        unfinished = UnfinishedAnswer(.assertions(signing.dropFirst(), order), on: channel, at: now())
        return answer
    }

    mutating func nextAssertion(on channel: UInt32) throws(CTAPStatus) -> CBORMap {
        guard let pending = unfinished, pending.channel == channel,
            case .assertions(let passkeys, let order) = pending.rest, let next = passkeys.first
        else { throw .notAllowed }
        unfinished = UnfinishedAnswer(.assertions(passkeys.dropFirst(), order), on: channel, at: now())
        return try assertion(next, order)
    }

    private func assertion(
        _ passkey: Passkey,
        _ order: AssertionOrder<Keychain.Consent>
    ) throws(CTAPStatus) -> CBORMap {
        let secrets = try keychain.secrets(of: passkey, by: order.consent)
        var data = AuthenticatorData(
            site: order.site,
            isPresent: true,
            isVerified: order.isVerified,
            backup: backup(of: passkey)
        )
        data.extensions = try order.extensions.answers(secrets, isVerified: order.isVerified)
        let bytes = data.bytes
        let signature = try keychain.sign(bytes + order.clientDataHash, with: secrets, by: order.consent)
        var answer: CBORMap = [
            1: CredentialDescriptor.value(passkey.id), 2: .bytes(bytes), 3: .bytes(signature),
        ]
        if passkey.isDiscoverable { answer[4] = passkey.user.value(withNames: order.namesUsers) }
        return answer
    }

    func backup(of passkey: Passkey) -> AuthenticatorData.Backup {
        switch passkey.kind {
        case .thisDevice: .never
        case .synchronizable: keychain.isShared ? .done : .possible
        }
    }

    /// Tells whether a passkey is there, without asking anybody (`up` false). The signature is by a key that is made for
    /// this answer: without a person, no passkey signs anything.
    private func answerToProbe(
        _ request: GetAssertionRequest,
        _ known: [Passkey],
        isVerified: Bool
    ) throws(CTAPStatus) -> CBORMap {
        // Which sites have passkeys is for the owner to tell.
        guard request.namesCredentials || isVerified,
            let passkey = request.usable(known, isVerified: isVerified).first
        else { throw .noCredentials }
        let data = AuthenticatorData(
            site: request.site,
            isPresent: false,
            isVerified: isVerified,
            backup: backup(of: passkey)
        )
        let bytes = data.bytes
        guard let signature = try? P256.Signing.PrivateKey().signature(for: bytes + request.clientDataHash) else {
            throw .other
        }
        return [
            1: CredentialDescriptor.value(passkey.id), 2: .bytes(bytes),
            3: .bytes(Array(signature.derRepresentation)),
        ]
    }
}

extension GetAssertionRequest {
    fileprivate func usable(_ passkeys: [Passkey], isVerified: Bool) -> [Passkey] {
        passkeys.filter { passkey in
            guard namesCredentials else {
                return passkey.isDiscoverable && (isVerified || passkey.protection == .optional)
            }
            return allowed.contains(passkey.id) && (isVerified || passkey.protection != .required)
        }
    }

    /// Of passkeys that a site names, the first signs; of others, each does.
    fileprivate func signing(_ usable: [Passkey]) -> [Passkey] { namesCredentials ? Array(usable.prefix(1)) : usable }
}

extension Passkey.User {
    func value(withNames: Bool) -> CBORValue {
        guard withNames else { return .map(["id": .bytes(id)]) }
        return .map(["id": .bytes(id), "name": .text(name), "displayName": .text(displayName)])
    }
}
