package import KeychainModel

/// Addresses of the Key URI Format, `otpauth://totp/issuer:account?secret=…`. They are what QR codes hold, what
/// programs exchange, and how the keychain stores a code.
extension OneTimeCode {
    /// Reads an address. Parameters that are unknown here are ignored.
    ///
    /// If the address has an issuer both before the account and as a parameter, the parameter counts. Text before the
    /// colon that is not the issuer then belongs to the account, so that nothing is lost.
    ///
    /// - Throws: any `CodeFailure`.
    package init(uri: some Collection<UInt8>) throws(CodeFailure) {
        guard uri.count <= Self.longestText else { throw .textTooLong }
        let bytes = Array(uri)
        if bytes.hasPrefix(ignoringCase: "otpauth-migration:") { throw .severalCodes }
        if bytes.hasPrefix(ignoringCase: "steam:") { throw .steam }
        guard let scheme = [Self.scheme, Self.linkScheme].first(where: { bytes.hasPrefix(ignoringCase: $0) }) else {
            throw .otherAddress
        }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let type = rest.prefix { !"/?#".utf8.contains($0) }
        let path = rest.dropFirst(type.count).prefix { $0 != UInt8(ascii: "?") }
        let query = rest.dropFirst(type.count + path.count + 1).prefix { $0 != UInt8(ascii: "#") }
        let parameters = CodeParameters(query)
        try Self.requireTimeBased(type, parameters)
        let settings = try CodeSettings(
            algorithm: parameters.value("algorithm"),
            digits: parameters.value("digits"),
            period: parameters.value("period")
        )
        let label = CodeLabel(
            path: String(decoding: PercentCoding.decode(path.dropFirst()), as: UTF8.self),
            issuer: try parameters.text("issuer")
        )
        try self.init(
            secret: try Base32.decode(try parameters.value("secret") ?? []),
            algorithm: settings.algorithm,
            digits: settings.digits,
            period: settings.period,
            issuer: label.issuer,
            account: label.account
        )
    }

    private static let scheme = "otpauth://"
    /// In links on pages, which open Apple's Passwords.
    private static let linkScheme = "apple-otpauth://"

    private static func requireTimeBased(_ type: some Collection<UInt8>, _ parameters: CodeParameters)
        throws(CodeFailure)
    {
        switch String(decoding: type, as: UTF8.self).lowercased() {
        case "totp": break
        case "hotp": throw .counterBased
        case "steam": throw .steam
        default: throw .otherType
        }
        // KeePassXC marks Steam's codes so.
        if try parameters.text("encoder").lowercased() == "steam" { throw .steam }
    }

    /// The code as an address. Everything is written out, in one order, so that two codes that are the same have the
    /// same address.
    package var uri: SecretBytes {
        let label = CodeLabel(issuer: issuer, account: account)
        let head = Array("\(Self.scheme)totp/".utf8) + label.path + Array("?secret=".utf8)
        let issuer = issuer.isEmpty ? [] : Array("&issuer=".utf8) + PercentCoding.encode(issuer)
        let tail = issuer + Array("&algorithm=\(algorithm.rawValue)&digits=\(digits)&period=\(period)".utf8)
        let length = Base32.length(ofBytes: secret.count)
        return unsafe SecretBytes(count: head.count + length + tail.count) { target in
            unsafe target.copyBytes(from: head)
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: target[head.count..<(head.count + length)])
            unsafe Base32.encode(secret, into: room)
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[(head.count + length)...]).copyBytes(from: tail)
        }
    }

    /// Reads what `uri` has written, out of the keychain.
    ///
    /// - Throws: as for any address.
    package init(stored: SecretBytes) throws(CodeFailure) {
        try self.init(uri: unsafe stored.withUnsafeBytes { unsafe Array($0) })
    }
}

extension Array<UInt8> {
    /// Whether it begins with text that is in lower case.
    func hasPrefix(ignoringCase prefix: String) -> Bool {
        let start = self.prefix(prefix.utf8.count)
        return start.elementsEqual(prefix.utf8) { byte, expected in
            byte == expected || (byte | 0x20 == expected && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(expected))
        }
    }
}
