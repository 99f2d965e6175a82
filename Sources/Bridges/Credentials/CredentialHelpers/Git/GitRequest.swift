package import KeychainModel

/// What git says to a credential helper: lines of `NAME=VALUE` up to a blank line or the end (gitcredentials(7),
/// git-credential(1)).
package struct GitRequest: Sendable {
    /// git's own limit for a line.
    package static let longestLine = 65_535
    /// More than all names that git knows can take.
    package static let largestInput = 1 << 20

    package private(set) var scheme: String?
    package private(set) var authority: String?
    package private(set) var path: String?
    package private(set) var username: String?
    package private(set) var password: SecretBytes?
    package private(set) var passwordExpiry: String?
    package private(set) var refreshToken: SecretBytes?
    package private(set) var authenticationType: String?
    package private(set) var credential: SecretBytes?
    package private(set) var isEphemeral = false
    /// Whether git understands `authtype` and `credential`.
    package private(set) var understandsAuthenticationTypes = false

    /// - Throws: for a line without `=`, for one that is too long, and for values that no line of an answer could repeat.
    package init(_ input: SecretBytes) throws(HelperFailure) {
        guard input.count <= Self.largestInput else { throw HelperFailure("git says more than a credential has") }
        for line in input.lines() {
            if line.isEmpty { return }
            guard line.count <= Self.longestLine else { throw HelperFailure("a line is longer than git's lines are") }
            guard let equals = input.firstIndex(of: UInt8(ascii: "="), in: line),
                let name = input.text(line.lowerBound..<equals)
            else { throw HelperFailure("a line is no name and value") }
            try take(name, input, equals + 1..<line.upperBound)
        }
    }

    private mutating func take(_ name: String, _ input: SecretBytes, _ range: Range<Int>) throws(HelperFailure) {
        func text() throws(HelperFailure) -> String {
            guard let text = input.text(range), !text.hasControlCharacter else {
                throw HelperFailure("the value of \(name) has a control character, or is no UTF-8")
            }
            return text
        }
        func secret() throws(HelperFailure) -> SecretBytes {
            let secret = input.slice(range)
            guard secret.isOneLine else { throw HelperFailure("the value of \(name) has a control character") }
            return secret
        }
        switch name {
        case "protocol": scheme = try text()
        case "host": authority = try text()
        case "path": path = try text()
        case "username": username = try text()
        case "password": password = try secret()
        case "password_expiry_utc": passwordExpiry = try text()
        case "oauth_refresh_token": refreshToken = try secret()
        case "authtype": authenticationType = try text()
        case "credential": credential = try secret()
        case "ephemeral": isEphemeral = ["1", "true", "yes", "on"].contains(try text().lowercased())
        // An empty value forgets what was said before.
        case "capability[]":
            let capability = try text()
            if capability.isEmpty { understandsAuthenticationTypes = false }
            if capability == "authtype" { understandsAuthenticationTypes = true }
        default: break
        }
    }

    /// The security domain of an item: the protocol, where it has no code.
    var domain: String {
        guard let scheme, scheme != "cert", ServerName.code(of: scheme) == nil else { return "" }
        return scheme
    }

    /// The server; nil where the request names none, and where the port is not a number that a port has.
    var server: ServerName? {
        guard let scheme, let authority else { return nil }
        if scheme == "cert" {
            // A client certificate's passphrase: the path is the file's.
            guard authority.isEmpty, path?.isEmpty == false else { return nil }
            return ServerName(networkProtocol: nil, host: "")
        }
        guard !scheme.isEmpty, !authority.isEmpty else { return nil }
        return ServerName(networkProtocol: ServerName.code(of: scheme), authority: authority)
    }
}

extension SecretBytes {
    /// Whether it can be the value of a line: nothing in it ends a line or a C string.
    package var isOneLine: Bool { !contains { [0, 0x0A, 0x0D].contains($0) } }
}
