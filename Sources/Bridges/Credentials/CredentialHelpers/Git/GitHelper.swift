package import KeychainModel

/// `git-credential-chatelaine`: git's helper.
package enum GitHelper {
    /// - Parameter action: what git calls it with. What is not known is ignored, as git wants it.
    package static func answer(
        _ action: String,
        _ input: SecretBytes,
        from keychain: some KeychainService
    ) -> HelperReply {
        do throws(HelperFailure) {
            switch action {
            case "get": return HelperReply(try get(GitRequest(input), from: keychain))
            case "store": try store(GitRequest(input), in: keychain)
            case "erase": try erase(GitRequest(input), from: keychain)
            case "capability": return HelperReply(SecretText("version 0\ncapability authtype\n"))
            default: break
            }
            return HelperReply()
        } catch {
            return .failure(error.message)
        }
    }

    /// Whether the action has something to read.
    package static func reads(_ action: String) -> Bool { ["get", "store", "erase"].contains(action) }

    // MARK: - The actions

    private static func get(_ request: GitRequest, from keychain: some KeychainService) throws(HelperFailure)
        -> SecretText
    {
        guard let server = request.server else { return SecretText() }
        // Most credentials are for all of a server. Those for a path are meant where git asks for it, or nothing else is.
        for path in request.path.map({ [$0] }) ?? ["", nil] {
            let filter = filter(request, server, path: path)
            if let found = try keychain.credentials(filter, limit: .one).first {
                if let text = try reply(found, to: request) { return text }
                // What this git does not understand hides no password.
                for other in try keychain.credentials(filter) {
                    if let text = try reply(other, to: request) { return text }
                }
            }
        }
        return SecretText()
    }

    private static func store(_ request: GitRequest, in keychain: some KeychainService) throws(HelperFailure) {
        guard !request.isEphemeral, let server = request.server else { return }
        var extra = VersionedLines()
        let secret: SecretBytes
        if let password = request.password, request.username != nil {
            secret = password
        } else if let credential = request.credential, let type = request.authenticationType {
            secret = credential
            extra["authtype"] = SecretBytes(type.utf8)
        } else {
            return
        }
        extra["password_expiry_utc"] = request.passwordExpiry.map { SecretBytes($0.utf8) }
        extra["oauth_refresh_token"] = request.refreshToken
        let path = request.path ?? ""
        // A token may have no user's name.
        let username = request.username ?? ""
        var attributes = server.attributes(domain: request.domain)
        attributes[.account] = .string(username)
        attributes[.path] = .string(path)
        attributes[.authenticationType] = .string("dflt")
        attributes[.label] = .string(server.host.isEmpty ? path : server.host)
        let item = CredentialItem(.git, .internetPassword, attributes, secret: secret, extra: extra.encoded)
        var own = filter(request, server, path: path)
        own.attributes[.account] = .string(username)
        try keychain.store(item, insteadOf: own)
    }

    private static func erase(_ request: GitRequest, from keychain: some KeychainService) throws(HelperFailure) {
        guard let server = request.server else { return }
        let filter = filter(request, server, path: request.path)
        guard let password = request.password ?? request.credential else {
            _ = try keychain.erase(filter)
            return
        }
        // A newer one was not refused.
        try keychain.erase(filter, secret: password)
    }

    // MARK: - Items

    private static func filter(_ request: GitRequest, _ server: ServerName, path: String?) -> CredentialFilter {
        var attributes = server.attributes(domain: request.domain)
        attributes[.account] = request.username.map { .string($0) }
        attributes[.path] = path.map { .string($0) }
        return CredentialFilter(.git, .internetPassword, attributes)
    }

    /// - Returns: nil for what git does not understand.
    private static func reply(_ found: FoundCredential, to request: GitRequest) throws(HelperFailure) -> SecretText? {
        let extra = try VersionedLines(found.extra)
        guard let username = found.text(.account), !username.hasControlCharacter, found.secret.isOneLine else {
            throw HelperFailure("the credential has a character that git's lines cannot have")
        }
        var text = SecretText()
        if let type = extra["authtype"] {
            guard request.understandsAuthenticationTypes else { return nil }
            text += "capability[]=authtype\nauthtype="
            text += type
            text += "\ncredential="
        } else {
            text += "username=\(username)\npassword="
        }
        text += found.secret
        text += "\n"
        for name in ["password_expiry_utc", "oauth_refresh_token"] {
            guard let value = extra[name] else { continue }
            text += name + "="
            text += value
            text += "\n"
        }
        return text
    }
}
