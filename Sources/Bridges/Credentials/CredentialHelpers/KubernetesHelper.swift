package import KeychainModel

/// What kubectl and other clients of Kubernetes get from an exec plugin (Kubernetes documentation, "client-go credential
/// plugins").
///
/// The item's value is an object `{"version":1,"token":…}` (docs/formats/credentials.md).
package enum KubernetesHelper {
    private static let service = "kubernetes"
    private static let prefix = "client.authentication.k8s.io/"
    private static let names = ["token", "clientCertificateData", "clientKeyData"]

    /// - Parameter request: what `KUBERNETES_EXEC_INFO` says; nil where it is not set.
    package static func get(
        _ name: String,
        request: String?,
        from keychain: some KeychainService
    ) throws(HelperFailure) -> HelperReply {
        let version = try version(request)
        let filter = try filter(name)
        guard let found = try keychain.credentials(filter, limit: .one).first else {
            throw HelperFailure("there is no credential \(name); chatelaine credential kubectl set stores it")
        }
        let document = try JSONReader.read(found.secret)
        guard case .number("1") = document["version"] else {
            throw HelperFailure("the credential was stored by a newer version, or is damaged")
        }
        var text = SecretText("{\"apiVersion\":\"\(prefix)\(version)\",\"kind\":\"ExecCredential\",\"status\":{")
        text += try members { document[$0]?.secret }
        text += "}}\n"
        return HelperReply(text)
    }

    /// - Parameter secret: a bearer token, or a client's certificate and its key in PEM.
    package static func set(
        _ name: String,
        _ secret: SecretBytes,
        in keychain: some KeychainService
    ) throws(HelperFailure) -> HelperReply {
        let filter = try filter(name)
        var values: [String: SecretBytes] = [:]
        if let (certificate, key) = try PEMPair.read(secret) {
            values["clientCertificateData"] = certificate
            values["clientKeyData"] = key
        } else {
            guard secret.isToken else {
                throw HelperFailure("the token has a character that no token has, or is empty")
            }
            values["token"] = secret
        }
        var text = SecretText("{\"version\":1,")
        text += try members { values[$0] }
        text += "}"
        var attributes = filter.attributes
        attributes[.label] = .string("Kubernetes credential \(name)")
        try keychain.store(
            CredentialItem(.kubernetes, .genericPassword, attributes, secret: text.joined()),
            insteadOf: filter
        )
        return HelperReply()
    }

    package static func delete(_ name: String, from keychain: some KeychainService) throws(HelperFailure) -> HelperReply
    {
        guard try keychain.erase(filter(name)) > 0 else { throw HelperFailure("there is no credential \(name)") }
        return HelperReply()
    }

    private static func members(_ value: (String) -> SecretBytes?) throws(HelperFailure) -> SecretText {
        var text = SecretText()
        var isFirst = true
        for name in names {
            guard let value = value(name) else { continue }
            text += (isFirst ? "" : ",") + "\"\(name)\":"
            text += JSONValue.quoted(value)
            isFirst = false
        }
        guard !isFirst else { throw HelperFailure("the credential is damaged") }
        return text
    }

    /// The version of the protocol that is asked for.
    ///
    /// - Throws: for what is no such request, and for another version. Without a request it is v1.
    private static func version(_ request: String?) throws(HelperFailure) -> String {
        guard let request, !request.isEmpty else { return "v1" }
        guard request.utf8.count <= 1 << 20 else { throw HelperFailure("KUBERNETES_EXEC_INFO is too long") }
        let document = try JSONReader.read(SecretBytes(request.utf8))
        guard document["kind"]?.string == "ExecCredential", let version = document["apiVersion"]?.string else {
            throw HelperFailure("KUBERNETES_EXEC_INFO is no ExecCredential")
        }
        switch version {
        case prefix + "v1": return "v1"
        case prefix + "v1beta1": return "v1beta1"
        default: throw HelperFailure("KUBERNETES_EXEC_INFO is of a version that is not known")
        }
    }

    private static func filter(_ name: String) throws(HelperFailure) -> CredentialFilter {
        guard !name.isEmpty, !name.hasControlCharacter else { throw HelperFailure("the credential has no valid name") }
        var attributes = AttributeList()
        attributes[.service] = .string(service)
        attributes[.account] = .string(name)
        return CredentialFilter(.kubernetes, .genericPassword, attributes)
    }
}
