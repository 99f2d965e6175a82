/// `authenticatorCredentialManagement`: discoverable passkeys, for who has the owner's consent to look after them.
extension Authenticator {
    mutating func manage(_ request: ManagementRequest, on channel: UInt32) throws(CTAPStatus) -> CBORMap {
        if let answer = try continueList(request.subcommand, on: channel) { return answer }
        guard let use = request.token else { throw .pinRequired }
        unfinished = nil
        let consent = try consent(use, of: request.authenticated, for: .manage)
        guard case .management(let site)? = token?.scope, let all = try keychain.passkeys(for: site).known else {
            throw .operationDenied
        }
        let passkeys = all.filter(\.isDiscoverable)
        switch request.subcommand {
        case .metadata:
            return [
                1: .integer(Int64(passkeys.count)),
                2: .integer(Int64(max(0, Self.mostPasskeys - passkeys.count))),
            ]
        case .firstSite:
            let sites = Set(passkeys.map(\.site)).sorted { $0.id < $1.id }
            guard let first = sites.first else { throw .noCredentials }
            unfinished = UnfinishedAnswer(.sites(sites.dropFirst()), on: channel, at: now())
            var answer = Self.answer(first)
            answer[5] = .integer(Int64(sites.count))
            return answer
        case .firstPasskey(let digest):
            let found = passkeys.filter { $0.site.digest == digest }
            guard let first = found.first else { throw .noCredentials }
            unfinished = UnfinishedAnswer(.passkeys(found.dropFirst()), on: channel, at: now())
            var answer = Self.answer(first)
            answer[9] = .integer(Int64(found.count))
            return answer
        case .delete(let identifier):
            let passkey = try Self.find(identifier, passkeys)
            // What has no copy is not deleted for a program that once had a list.
            try keychain.delete(passkey, by: keychain.ask(.delete(site: passkey.site, user: passkey.user)))
            return CBORMap()
        case .update(let identifier, let user):
            var passkey = try Self.find(identifier, passkeys)
            guard passkey.user.id == user.id else { throw .invalidParameter }
            passkey.user = user
            try keychain.update(passkey, by: consent)
            return CBORMap()
        case .nextSite, .nextPasskey: throw .notAllowed
        }
    }

    /// - Returns: what comes next of a list; nil for a request of another kind.
    private mutating func continueList(
        _ subcommand: ManagementRequest.Subcommand,
        on channel: UInt32
    ) throws(CTAPStatus) -> CBORMap? {
        guard subcommand == .nextSite || subcommand == .nextPasskey else { return nil }
        guard let pending = unfinished, pending.channel == channel else { throw .notAllowed }
        switch (subcommand, pending.rest) {
        case (.nextSite, .sites(var sites)):
            guard let site = sites.popFirst() else { throw .notAllowed }
            unfinished = UnfinishedAnswer(.sites(sites), on: channel, at: now())
            return Self.answer(site)
        case (.nextPasskey, .passkeys(var passkeys)):
            guard let passkey = passkeys.popFirst() else { throw .notAllowed }
            unfinished = UnfinishedAnswer(.passkeys(passkeys), on: channel, at: now())
            return Self.answer(passkey)
        default: throw .notAllowed
        }
    }

    /// What is told of how many there may be. The keychain's own limit is in bytes.
    private static var mostPasskeys: Int { 4_096 }

    private static func find(_ identifier: [UInt8], _ passkeys: [Passkey]) throws(CTAPStatus) -> Passkey {
        guard let passkey = passkeys.first(where: { $0.id == identifier }) else { throw .noCredentials }
        return passkey
    }

    private static func answer(_ site: RelyingParty) -> CBORMap {
        [3: .map(["id": .text(site.id)]), 4: .bytes(site.digest)]
    }

    private static func answer(_ passkey: Passkey) -> CBORMap {
        [
            6: passkey.user.value(withNames: true), 7: CredentialDescriptor.value(passkey.id),
            8: COSEKey.es256(passkey.publicKey), 10: .integer(Int64(passkey.protection.rawValue)),
        ]
    }
}
