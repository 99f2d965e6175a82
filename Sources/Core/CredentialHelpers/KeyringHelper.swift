package import KeychainModel

/// A command line of the `keyring` command, as pip and uv write it (https://pypi.org/project/keyring).
package struct KeyringRequest: Sendable {
    package enum Action: String, Sendable {
        case get
        case set
        case del
    }

    package let action: Action
    package let service: String
    /// Nil takes any, with `--mode creds` alone.
    package let username: String?
    /// Whether the user's name is asked for too (`--mode creds`).
    package let returnsUsername: Bool

    /// What a question names.
    package var description: String { "'\(username ?? "")' in '\(service)'" }

    /// - Throws: for what is no such line.
    package init(_ arguments: [String]) throws(HelperFailure) {
        let usage = HelperFailure("usage: keyring [--mode password|creds] get|set|del SERVICE USER")
        var words: [String] = []
        var mode = "password"
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--mode" {
                guard let value = rest.popFirst() else { throw usage }
                mode = value
            } else if argument.hasPrefix("--mode=") {
                mode = String(argument.dropFirst("--mode=".count))
            } else {
                words.append(argument)
            }
        }
        guard mode == "password" || mode == "creds", let word = words.first, let action = Action(rawValue: word),
            words.count == 3 || (words.count == 2 && mode == "creds" && action == .get)
        else { throw usage }
        guard words.allSatisfy({ !$0.hasControlCharacter }) else {
            throw HelperFailure("a service or a user has a control character")
        }
        self.action = action
        service = words[1]
        username = words.count == 3 ? words[2] : nil
        returnsUsername = mode == "creds"
    }

    var filter: CredentialFilter {
        var attributes = AttributeList()
        attributes[.service] = .string(service)
        attributes[.account] = username.map { .string($0) }
        return CredentialFilter(.keyring, .genericPassword, attributes)
    }
}

/// `keyring`: what pip and uv ask for the passwords of package indexes.
package enum KeyringHelper {
    /// - Parameter password: what is to be stored, of the action `set`.
    package static func answer(
        _ request: KeyringRequest,
        password: SecretBytes?,
        from keychain: some KeychainService
    ) -> HelperReply {
        do throws(HelperFailure) {
            switch (request.action, password) {
            case (.get, _): return try get(request, from: keychain)
            case (.set, let password?): try set(request, password, in: keychain)
            case (.set, nil): throw HelperFailure("there is no password to store")
            case (.del, _):
                guard try keychain.erase(request.filter) > 0 else { throw HelperFailure("there is no such password") }
            }
            return HelperReply()
        } catch {
            return .failure(error.message)
        }
    }

    /// Without a word where there is none: the status says it, and pip asks for the host next.
    private static func get(_ request: KeyringRequest, from keychain: some KeychainService) throws(HelperFailure)
        -> HelperReply
    {
        guard let found = try keychain.credentials(request.filter, limit: .one).first else {
            return HelperReply(exitStatus: 1)
        }
        guard let username = found.text(.account), !username.hasControlCharacter, found.secret.isOneLine else {
            throw HelperFailure("the password has a character that a line cannot have")
        }
        var text = SecretText(request.returnsUsername ? username + "\n" : "")
        text += found.secret
        text += "\n"
        return HelperReply(text)
    }

    private static func set(
        _ request: KeyringRequest,
        _ password: SecretBytes,
        in keychain: some KeychainService
    ) throws(HelperFailure) {
        guard password.isOneLine else { throw HelperFailure("the password has a character that a line cannot have") }
        var attributes = request.filter.attributes
        attributes[.label] = .string(request.service)
        try keychain.store(
            CredentialItem(.keyring, .genericPassword, attributes, secret: password),
            insteadOf: request.filter
        )
    }
}
