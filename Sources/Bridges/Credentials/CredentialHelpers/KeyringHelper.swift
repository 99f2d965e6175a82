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
    /// Whether the answer is an object of JSON (`--output json`), and not lines.
    package let returnsJSON: Bool

    /// What a question names.
    package var description: String { "'\(username ?? "")' in '\(service)'" }

    /// - Throws: for what is no such line.
    package init(_ arguments: [String]) throws(HelperFailure) {
        let usage = HelperFailure(
            "usage: keyring [--mode password|creds] [--output plain|json] get|set|del SERVICE USER"
        )
        var words: [String] = []
        var options = ["--mode": "password", "--output": "plain"]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if let option = parts.first, options[option] != nil {
                guard let value = parts.count == 2 ? parts.last : rest.popFirst() else { throw usage }
                options[option] = value
            } else {
                words.append(argument)
            }
        }
        let mode = options["--mode"]
        guard mode == "password" || mode == "creds", ["plain", "json"].contains(options["--output"]),
            let word = words.first, let action = Action(rawValue: word),
            words.count == 3 || (words.count == 2 && mode == "creds" && action == .get)
        else { throw usage }
        guard words.allSatisfy({ !$0.hasControlCharacter }) else {
            throw HelperFailure("a service or a user has a control character")
        }
        self.action = action
        service = words[1]
        username = words.count == 3 ? words[2] : nil
        returnsUsername = mode == "creds"
        returnsJSON = options["--output"] == "json"
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
    /// What `keyring --list-backends` prints: where passwords are kept, and which place comes first.
    package static let backends = SecretText("keyring.backends.chatelaine.Keyring (priority: 9)\n")

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
        guard let username = found.text(.account) else { throw HelperFailure("the user's name is no text") }
        if request.returnsJSON {
            guard found.secret.isUTF8 else { throw HelperFailure("the password is no text") }
            var text = SecretText("{")
            if request.returnsUsername {
                text += "\"username\": "
                text += JSONValue.quoted(username)
                text += ", "
            }
            text += "\"password\": "
            text += JSONValue.quoted(found.secret)
            text += "}\n"
            return HelperReply(text)
        }
        guard !username.hasControlCharacter, found.secret.isOneLine else {
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
