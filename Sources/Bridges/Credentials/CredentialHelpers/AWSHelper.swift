package import KeychainModel

/// What AWS's programs get from a `credential_process` (AWS SDKs and Tools Reference Guide, "Process credential provider").
///
/// The item's value is that document itself, whose version is AWS's.
package enum AWSHelper {
    private static let service = "aws"
    private static let names = ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"]

    /// - Parameter now: credentials of a session that has ended are not given out.
    package static func get(
        _ profile: String,
        at now: Timestamp,
        from keychain: some KeychainService
    ) throws(HelperFailure) -> HelperReply {
        let filter = try filter(profile)
        guard let found = try keychain.credentials(filter, limit: .one).first else {
            throw HelperFailure(
                "there are no credentials for the profile \(profile); chatelaine credential aws set stores them"
            )
        }
        let document = try JSONReader.read(found.secret)
        guard case .number("1") = document["Version"] else {
            throw HelperFailure("the credentials were stored by a newer version, or are damaged")
        }
        let values = names.map { document[$0]?.secret }
        let text = try Self.document(values)
        if let end = values[3]?.text.flatMap(Timestamp.init), end <= now {
            throw HelperFailure("the session credentials of the profile \(profile) have expired")
        }
        return HelperReply(text)
    }

    /// - Parameters:
    ///   - sessionToken: of credentials of a session; nil or empty for a person's own.
    ///   - expiration: when such a session ends; nil or empty where that is not known.
    package static func set(
        _ profile: String,
        accessKey: SecretBytes,
        secretKey: SecretBytes,
        sessionToken: SecretBytes?,
        expiration: SecretBytes?,
        in keychain: some KeychainService
    ) throws(HelperFailure) -> HelperReply {
        let filter = try filter(profile)
        let values = [accessKey, secretKey, sessionToken, expiration].map { $0?.count == 0 ? nil : $0 }
        var attributes = filter.attributes
        attributes[.label] = .string("AWS credentials of \(profile)")
        let secret = try document(values).joined()
        try keychain.store(CredentialItem(.aws, .genericPassword, attributes, secret: secret), insteadOf: filter)
        return HelperReply()
    }

    package static func delete(_ profile: String, from keychain: some KeychainService) throws(HelperFailure)
        -> HelperReply
    {
        guard try keychain.erase(filter(profile)) > 0 else {
            throw HelperFailure("there are no credentials for the profile \(profile)")
        }
        return HelperReply()
    }

    /// - Parameter values: by `names`.
    private static func document(_ values: [SecretBytes?]) throws(HelperFailure) -> SecretText {
        var text = SecretText("{\"Version\":1")
        for (index, name) in names.enumerated() {
            guard let value = values[index] else {
                guard index >= 2 else { throw HelperFailure("the credentials have no \(name)") }
                continue
            }
            guard value.isToken else { throw HelperFailure("the \(name) has a character that it cannot have") }
            if name == "Expiration", value.text.flatMap(Timestamp.init) == nil {
                throw HelperFailure("the expiration has to be a time such as 2030-01-02T03:04:05Z")
            }
            text += ",\"\(name)\":"
            text += JSONValue.quoted(value)
        }
        text += "}\n"
        return text
    }

    private static func filter(_ profile: String) throws(HelperFailure) -> CredentialFilter {
        guard !profile.isEmpty, !profile.hasControlCharacter else {
            throw HelperFailure("the profile has no valid name")
        }
        var attributes = AttributeList()
        attributes[.service] = .string(service)
        attributes[.account] = .string(profile)
        return CredentialFilter(.aws, .genericPassword, attributes)
    }
}
