package import KeychainModel

/// `docker-credential-chatelaine`: the helper of docker and of programs that use docker's registries
/// (https://github.com/docker/docker-credential-helpers). Errors go to standard output.
package enum DockerHelper {
    /// Docker's own programs compare these sentences.
    package static let notFound = "credentials not found in native keychain"
    package static let noServer = "no credentials server URL"
    package static let noUsername = "no credentials username"

    private static let domain = "docker"
    private static let label = "Docker Credentials"
    /// A token of a registry has a few KiB.
    package static let largestInput = 1 << 20

    package static func reads(_ action: String) -> Bool { ["store", "get", "erase"].contains(action) }

    package static func answer(
        _ action: String,
        _ input: SecretBytes,
        from keychain: some KeychainService
    ) -> HelperReply {
        do throws(HelperFailure) {
            guard input.count <= largestInput else { throw HelperFailure("the input is larger than a credential") }
            switch action {
            case "store": try store(input, in: keychain)
            case "get": return HelperReply(try get(input, from: keychain))
            case "erase":
                // One that is not there is no error.
                _ = try keychain.erase(filter(try server(input).server))
            case "list": return HelperReply(try list(keychain))
            case "version":
                return HelperReply(SecretText("docker-credential-chatelaine (chatelaine) v\(ProductVersion.current)\n"))
            default: throw HelperFailure("unknown credential action `\(action.escapedControls)`")
            }
            return HelperReply()
        } catch {
            return reply(to: error)
        }
    }

    package static func reply(to failure: HelperFailure) -> HelperReply {
        HelperReply(SecretText(failure.message + "\n"), exitStatus: 1)
    }

    // MARK: - The actions

    private static func store(_ input: SecretBytes, in keychain: some KeychainService) throws(HelperFailure) {
        let document = try JSONReader.read(input)
        guard let url = document["ServerURL"]?.string, !url.isEmpty else { throw HelperFailure(noServer) }
        guard let username = document["Username"]?.string, !username.isEmpty else { throw HelperFailure(noUsername) }
        guard let secret = document["Secret"]?.secret else { throw HelperFailure("no credentials secret") }
        guard !username.hasControlCharacter else { throw HelperFailure("the user name has a control character") }
        let server = try server(url)
        var attributes = server.attributes(domain: domain)
        attributes[.path] = .string(server.path)
        attributes[.account] = .string(username)
        attributes[.authenticationType] = .string("dflt")
        attributes[.label] = .string(label)
        // As docker wrote it, and looks for it in a list.
        attributes[.comment] = .string(url)
        let item = CredentialItem(.docker, .internetPassword, attributes, secret: secret)
        var own = filter(server)
        own.attributes[.account] = .string(username)
        // A registry has one account.
        try keychain.store(item, insteadOf: own, andOf: filter(server))
    }

    private static func get(_ input: SecretBytes, from keychain: some KeychainService) throws(HelperFailure)
        -> SecretText
    {
        let (url, server) = try server(input)
        guard let found = try keychain.credentials(filter(server), limit: .one).first else {
            throw HelperFailure(notFound)
        }
        guard found.secret.isUTF8 else { throw HelperFailure("the credential is no text") }
        var text = SecretText("{\"ServerURL\":")
        text += JSONValue.quoted(url)
        text += ",\"Username\":"
        text += JSONValue.quoted(found.text(.account) ?? "")
        text += ",\"Secret\":"
        text += JSONValue.quoted(found.secret)
        text += "}\n"
        return text
    }

    private static func list(_ keychain: some KeychainService) throws(HelperFailure) -> SecretText {
        var attributes = AttributeList()
        attributes[.securityDomain] = .string(domain)
        let filter = CredentialFilter(.docker, .internetPassword, attributes)
        var text = SecretText("{")
        var isFirst = true
        for found in try keychain.credentials(filter, withSecrets: false) {
            guard let url = found.text(.comment), let username = found.text(.account) else { continue }
            text += isFirst ? "" : ","
            text += JSONValue.quoted(url)
            text += ":"
            text += JSONValue.quoted(username)
            isFirst = false
        }
        text += "}\n"
        return text
    }

    // MARK: - Servers

    private static func server(_ input: SecretBytes) throws(HelperFailure) -> (url: String, server: ServerName) {
        guard let text = input.text else { throw HelperFailure("the server URL is no text") }
        let url = text.trimmingBlanks
        guard !url.isEmpty else { throw HelperFailure(noServer) }
        return (url, try server(url))
    }

    private static func server(_ url: String) throws(HelperFailure) -> ServerName {
        // Some programs take a backslash for a slash, and others for a part of the host's name.
        guard !url.utf8.contains(UInt8(ascii: "\\")), let server = ServerName(url: url) else {
            throw HelperFailure("the server URL is not valid")
        }
        return server
    }

    private static func filter(_ server: ServerName) -> CredentialFilter {
        var attributes = server.attributes(domain: domain)
        attributes[.path] = .string(server.path)
        return CredentialFilter(.docker, .internetPassword, attributes)
    }
}
