/// The protocols of internet passwords: `kSecAttrProtocol`'s four characters, and the scheme of a URL for each.
package enum NetworkProtocol {
    private static let codes = [
        "http": "http", "https": "htps", "ftp": "ftp ", "ftps": "ftps", "ssh": "ssh ", "sftp": "ssh ", "smb": "smb ",
        "imap": "imap", "imaps": "imps", "pop3": "pop3", "pop3s": "pops", "smtp": "smtp", "ldap": "ldap",
        "ldaps": "ldps",
        "svn": "svn ", "nntp": "nntp",
    ]

    /// Of those that share a code (ssh and sftp), the first by the alphabet's end.
    private static let schemes = Dictionary(codes.map { ($1, $0) }, uniquingKeysWith: max)

    /// - Returns: nil for a scheme without a code.
    package static func code(of scheme: String) -> String? { codes[scheme] }

    /// - Returns: nil for a code without a scheme.
    package static func scheme(of code: String) -> String? { schemes[code] }
}
