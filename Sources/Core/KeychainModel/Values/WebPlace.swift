/// A server that a URL names.
package struct WebPlace {
    package let host: String
    /// `kSecAttrProtocol`'s: four characters.
    package let protocolCode: String
    package let port: UInt16?
    package let path: String

    /// - Returns: nil for what is no URL of a server. A name alone is taken for one that is reached by HTTPS.
    package init?(_ url: String) {
        var rest = url[...]
        var scheme = "https"
        if let range = rest.firstRange(of: "://") {
            scheme = rest[..<range.lowerBound].lowercased()
            rest = rest[range.upperBound...]
        } else if !rest.contains(".") {
            return nil
        }
        guard let code = NetworkProtocol.code(of: scheme) else { return nil }
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        var authority = rest[..<end]
        let path = rest[end...].prefix { $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        var port: UInt16?
        // The colons of an address in brackets are its own.
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[authority.index(after: colon)...]
            guard let number = UInt16(digits) else { return nil }
            port = number
            authority = authority[..<colon]
        }
        guard authority.hasPrefix("[") == authority.hasSuffix("]") else { return nil }
        guard !authority.isEmpty, authority.utf8.count <= 255, !authority.contains(where: \.isWhitespace) else {
            return nil
        }
        host = authority.lowercased()
        protocolCode = code
        self.port = port
        self.path = path == "/" ? "" : String(path)
    }
}
