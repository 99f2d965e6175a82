/// The part of an address that names the code: `issuer:account`, or the account alone.
struct CodeLabel {
    let issuer: String
    let account: String

    init(issuer: String, account: String) {
        self.issuer = issuer
        self.account = account
    }

    /// - Parameters:
    ///   - path: what stands between the type and the question mark, decoded.
    ///   - issuer: the parameter; empty if there is none.
    init(path: String, issuer: String) {
        let bytes = path.utf8
        let parameter = issuer.withoutSpacesAround
        if parameter.isEmpty {
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
                self.init(issuer: "", account: path)
                return
            }
            self.init(issuer: String(path[..<colon]), account: String(path[bytes.index(after: colon)...]))
            return
        }
        // An issuer may have a colon itself.
        let prefix = Array(parameter.utf8) + [UInt8(ascii: ":")]
        if bytes.starts(with: prefix) {
            self.init(issuer: issuer, account: String(decoding: bytes.dropFirst(prefix.count), as: UTF8.self))
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            path[..<colon].lowercased() == parameter.lowercased()
        {
            self.init(issuer: issuer, account: String(path[bytes.index(after: colon)...]))
        } else {
            self.init(issuer: issuer, account: path)
        }
    }

    /// Encoded. Without an issuer, a colon goes before an account that has one, which would be taken for the issuer's
    /// end.
    var path: [UInt8] {
        let colon = issuer.isEmpty && !account.utf8.contains(UInt8(ascii: ":")) ? [] : [UInt8(ascii: ":")]
        return PercentCoding.encode(issuer) + colon + PercentCoding.encode(account)
    }
}
