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
    package var request: AddRequest { conversion.request }

    /// The names of the attributes that a password has no place for, in order.
    package var lostAttributes: [String] {
        let used = conversion.used
        return attributes.filter { !used.contains($0.key) && $0 != Self.generic }.map(\.key).sorted()
    }

    /// gnome-keyring gives this to items that came without a schema, sooner or later. It says nothing about them.
    private static let generic = (key: "xdg:schema", value: "org.freedesktop.Secret.Generic")

    private var conversion: (request: AddRequest, used: Set<String>) {
        let address = ["signon_realm", "origin_url", "url"].first { attributes[$0] != nil }
        let url = address.flatMap { attributes[$0] }
        var request: AddRequest
        var used: Set<String> = []
        if let server = attributes["server"], !server.isEmpty {
            request = AddRequest(itemClass: .internetPassword)
            request.attributes[.server] = .string(server)
            used = ["server"]
            if let domain = attributes["domain"] {
                request.attributes[.securityDomain] = .string(domain)
                used.insert("domain")
            }
            if let port = attributes["port"].flatMap({ UInt16($0) }) {
                request.attributes[.port] = .integer(Int64(port))
                used.insert("port")
            }
            if let place = attributes["protocol"].flatMap({ WebPlace("\($0)://\(server)") }) {
                request.attributes[.networkProtocol] = .string(place.protocolCode)
                used.insert("protocol")
            }
        } else if let url, url.contains("://"), WebPlace(url) != nil {
            var password = ImportedPassword()
            password.url = url
            request = password.request
            if let address { used = [address] }
        } else {
            request = AddRequest(itemClass: .genericPassword)
            request.attributes[.service] = .string(attributes["service"] ?? label)
            used = ["service"]
        }
        let account = account
        request.attributes[.account] = .string(account.text)
        used.formUnion(account.used)
        if !label.isEmpty { request.attributes[.label] = .string(label) }
        request.secrets[.valueData] = secret
        return (request, used)
    }

    /// Whom it is for. Where no attribute says so, all of them together: they tell items of one label apart.
    private var account: (text: String, used: [String]) {
        for name in ["username", "user", "account", "username_value"] {
            if let account = attributes[name], !account.isEmpty { return (account, [name]) }
        }
        let named = attributes.filter { $0.key != "xdg:schema" }.sorted { $0.key < $1.key }
        return (named.map { "\($0.key)=\($0.value)" }.joined(separator: " "), named.map(\.key))
    }
}
