package import KeychainModel

/// `cargo-credential-chatelaine`: a credential provider of cargo's (the Cargo book, "Credential Provider Protocol"), which
/// exchanges lines of JSON.
package enum CargoHelper {
    /// What is said first: the versions of the protocol.
    package static let hello = SecretText("{\"v\":[1]}\n")
    /// In bytes. A request has a token at most.
    package static let largestRequest = 1 << 20

    private static let domain = "cargo"

    /// - Parameters:
    ///   - line: a request.
    ///   - ask: asks the person for a token, where cargo was not given one.
    /// - Returns: a line, also for what is refused.
    package static func answer(
        _ line: SecretBytes,
        from keychain: some KeychainService,
        ask: (String) throws(HelperFailure) -> SecretBytes
    ) -> HelperReply {
        do throws(HelperFailure) {
            let request = try JSONReader.read(line)
            guard case .number("1") = request["v"] else {
                throw HelperFailure("the request is of a version of the protocol that is not known")
            }
            guard let registry = request["registry"], let url = registry["index-url"]?.string else {
                throw HelperFailure("the request names no registry")
            }
            guard let server = server(url) else { return error("url-not-supported") }
            switch request["kind"]?.string {
            case "get": return HelperReply(try get(server, from: keychain))
            case "login":
                let name = registry["name"]?.string ?? server.host
                let given = request["token"]?.secret
                let token = if let given { given } else { try ask(question(server, name: name)) }
                try login(url, server, name: name, token: token, in: keychain)
                return HelperReply(SecretText("{\"Ok\":{\"kind\":\"login\"}}\n"))
            case "logout":
                guard try keychain.erase(filter(server)) > 0 else { return error("not-found") }
                return HelperReply(SecretText("{\"Ok\":{\"kind\":\"logout\"}}\n"))
            default: return error("operation-not-supported")
            }
        } catch {
            return reply(to: error)
        }
    }

    /// The host, to which the token will be sent, comes first. The name is of a file that comes with a project.
    private static func question(_ server: ServerName, name: String) -> String {
        let place = server.port == 0 ? server.host : "\(server.host):\(server.port)"
        return name == server.host ? "token for \(place)" : "token for \(place), called “\(name.prefix(36))” here"
    }

    package static func reply(to failure: HelperFailure) -> HelperReply {
        var text = SecretText("{\"Err\":{\"kind\":\"other\",\"message\":")
        text += JSONValue.quoted(failure.message)
        text += ",\"caused-by\":[]}}\n"
        return HelperReply(text)
    }

    private static func error(_ kind: String) -> HelperReply {
        HelperReply(SecretText("{\"Err\":{\"kind\":\"\(kind)\"}}\n"))
    }

    // MARK: - The kinds of requests

    private static func get(_ server: ServerName, from keychain: some KeychainService) throws(HelperFailure)
        -> SecretText
    {
        guard let found = try keychain.credentials(filter(server), limit: .one).first else {
            return SecretText("{\"Err\":{\"kind\":\"not-found\"}}\n")
        }
        guard found.secret.isToken else { throw HelperFailure("the stored token has a character that no token has") }
        var text = SecretText("{\"Ok\":{\"kind\":\"get\",\"token\":")
        text += JSONValue.quoted(found.secret)
        // For this run of cargo alone: a keychain that is locked meanwhile gives no token to the next.
        text += ",\"cache\":\"session\",\"operation_independent\":true}}\n"
        return text
    }

    private static func login(
        _ url: String,
        _ server: ServerName,
        name: String,
        token: SecretBytes,
        in keychain: some KeychainService
    ) throws(HelperFailure) {
        guard token.isToken else { throw HelperFailure("the token has a character that no token has, or is empty") }
        guard !name.hasControlCharacter else { throw HelperFailure("the registry's name has a control character") }
        var attributes = server.attributes(domain: domain)
        attributes[.path] = .string(server.path)
        attributes[.account] = .string("")
        attributes[.authenticationType] = .string("dflt")
        attributes[.label] = .string("cargo registry \(name)")
        attributes[.comment] = .string(url)
        try keychain.store(
            CredentialItem(.cargo, .internetPassword, attributes, secret: token),
            insteadOf: filter(server)
        )
    }

    // MARK: - Registries

    /// The server of an index: of a sparse one, or of one in a git repository. Others are not reached over a network.
    private static func server(_ url: String) -> ServerName? {
        var rest = url[...]
        for prefix in ["sparse+", "registry+"] where rest.hasPrefix(prefix) { rest = rest.dropFirst(prefix.count) }
        guard ["https://", "http://", "ssh://"].contains(where: rest.hasPrefix) else { return nil }
        return ServerName(url: String(rest))
    }

    private static func filter(_ server: ServerName) -> CredentialFilter {
        var attributes = server.attributes(domain: domain)
        attributes[.path] = .string(server.path)
        return CredentialFilter(.cargo, .internetPassword, attributes)
    }
}

extension SecretBytes {
    /// Whether it can stand in a header of HTTP: printable ASCII, and something.
    var isToken: Bool { count > 0 && !contains { $0 < 0x20 || $0 > 0x7E } }
}
