import KeychainModel

/// Whom a credential is for, as the attributes of an internet password say it.
struct ServerName: Sendable, Equatable {
    /// Four characters, as `kSecAttrProtocol` has them; nil for none.
    var networkProtocol: String?
    var host: String
    /// 0 where none is said.
    var port: UInt16 = 0
    var path = ""

    /// The protocols that have a code, by the scheme of their URLs.
    private static let codes = [
        "https": "htps", "http": "http", "ftp": "ftp ", "ftps": "ftps", "imap": "imap", "imaps": "imps", "smtp": "smtp",
        "ssh": "ssh ", "pop3": "pop3", "pop3s": "pops", "ldap": "ldap", "ldaps": "ldps", "svn": "svn ", "nntp": "nntp",
    ]

    static func code(of scheme: String) -> String? { codes[scheme] }

    init(networkProtocol: String?, host: String, port: UInt16 = 0, path: String = "") {
        self.networkProtocol = networkProtocol
        self.host = host
        self.port = port
        self.path = path
    }

    /// Reads `HOST` or `HOST:PORT`; an IPv6 address stands in brackets.
    init?(networkProtocol: String?, authority: String) {
        self.networkProtocol = networkProtocol
        host = authority
        let afterAddress = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[afterAddress...].firstIndex(of: ":") else { return }
        let digits = authority[authority.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits)
        else { return nil }
        host = String(authority[..<colon])
        port = number
    }

    /// Reads a URL, or one without its scheme, which is https then. What comes before an `@`, a query and a fragment are
    /// no part of a server's name.
    init?(url: String) {
        guard !url.isEmpty, !url.hasControlCharacter, !url.contains(" ") else { return nil }
        var rest = url[...]
        var scheme = "https"
        if let range = rest.firstRange(of: "://") {
            scheme = rest[..<range.lowerBound].lowercased()
            rest = rest[range.upperBound...]
        }
        guard let code = Self.code(of: scheme) else { return nil }
        rest = rest.prefix { $0 != "?" && $0 != "#" }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        self.init(networkProtocol: code, authority: authority.lowercased())
        guard !host.isEmpty else { return nil }
        path = String(rest[slash...])
        while path.hasSuffix("/") { path.removeLast() }
    }

    /// Attributes that tell this server's items from others, for a family of programs.
    ///
    /// - Parameter domain: keeps apart what programs of different kinds keep for one server and account.
    func attributes(domain: String) -> AttributeList {
        var list = AttributeList()
        list[.server] = .string(host)
        list[.port] = .integer(Int64(port))
        list[.networkProtocol] = networkProtocol.map { .string($0) } ?? .integer(0)
        list[.securityDomain] = .string(domain)
        return list
    }
}
