package import KeychainModel

/// An item of a Secret Service, such as gnome-keyring: a label, attributes that are text, and a secret.
package struct SecretServiceItem: Sendable {
    package var label: String
    package var attributes: [String: String] = [:]
    package var secret = SecretBytes([])

    package init(label: String) {
        self.label = label
    }

    /// What there is to add: an Internet password where the attributes name a server, as those of GNOME's network
    /// passwords and of browsers do, else a generic one under its label.
    package var request: AddRequest {
        let url = attributes["signon_realm"] ?? attributes["origin_url"] ?? attributes["url"]
        var request: AddRequest
        if let server = attributes["server"], !server.isEmpty {
            request = AddRequest(itemClass: .internetPassword)
            request.attributes["srvr"] = .string(server)
            if let domain = attributes["domain"] { request.attributes["sdmn"] = .string(domain) }
            if let port = attributes["port"].flatMap({ UInt16($0) }) {
                request.attributes["port"] = .integer(Int64(port))
            }
            if let place = attributes["protocol"].flatMap({ WebPlace("\($0)://\(server)") }) {
                request.attributes["ptcl"] = .string(place.protocolCode)
            }
        } else if let url, url.contains("://"), WebPlace(url) != nil {
            var password = ImportedPassword()
            password.url = url
            request = password.request
        } else {
            request = AddRequest(itemClass: .genericPassword)
            request.attributes["svce"] = .string(attributes["service"] ?? label)
        }
        request.attributes["acct"] = .string(account)
        if !label.isEmpty { request.attributes["labl"] = .string(label) }
        request.secrets[.valueData] = secret
        return request
    }

    /// Whom it is for. Where no attribute says so, all of them together: they tell items of one label apart.
    private var account: String {
        for name in ["username", "user", "account", "username_value"] {
            if let account = attributes[name], !account.isEmpty { return account }
        }
        return attributes.filter { $0.key != "xdg:schema" }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}
