/// What data are that somebody wants signed, as the data themselves say it.
package enum SigningPurpose: Sendable, Equatable {
    /// A log-in (RFC 4252, section 7).
    case logIn(LogIn)
    /// A file or a message (OpenSSH's PROTOCOL.sshsig).
    case text(namespace: String, hash: String)
    /// Anything else. What a signature of it is good for cannot be told.
    case unknown

    package struct LogIn: Sendable, Equatable {
        package let user: String
        let sessionIdentifier: [UInt8]
        /// The host's key, where ssh puts it into what is signed.
        package let hostKey: [UInt8]?
    }

    /// - Parameter key: what is to sign. A log-in with another key is none.
    package init(_ data: [UInt8], by key: SSHPublicKey) {
        self = Self.text(data) ?? (try? LogIn(data, by: key)).map { .logIn($0) } ?? .unknown
    }

    private static func text(_ data: [UInt8]) -> SigningPurpose? {
        let magic = Array("SSHSIG".utf8)
        guard data.starts(with: magic) else { return nil }
        var reader = SSHReader(Array(data.dropFirst(magic.count)))
        guard let namespace = try? reader.text(limit: 256), !namespace.isEmpty, let reserved = try? reader.string(),
            reserved.isEmpty, let hash = try? reader.text(limit: 16), let digest = try? reader.string(),
            reader.isAtEnd, (hash == "sha256" && digest.count == 32) || (hash == "sha512" && digest.count == 64)
        else { return .unknown }
        return .text(namespace: namespace, hash: hash)
    }
}

extension SigningPurpose.LogIn {
    fileprivate init(_ data: [UInt8], by key: SSHPublicKey) throws(SSHFormatError) {
        var reader = SSHReader(data)
        sessionIdentifier = try reader.string()
        guard try reader.byte() == 50 else { throw SSHFormatError("no log-in") }
        user = try reader.text(limit: 1_024)
        guard try reader.text(limit: 64) == "ssh-connection" else { throw SSHFormatError("another service") }
        let method = try reader.text(limit: 64)
        guard try reader.byte() == 1 else { throw SSHFormatError("a question, and no log-in") }
        let algorithm = try reader.text(limit: 64)
        // With `CertificateFile` the data name the certificate, and the request the plain key.
        let named = try SSHPublicKey(try reader.string())
        guard named.material == key.material, Self.isAlgorithm(algorithm, of: named) else {
            throw SSHFormatError("the log-in is with another key")
        }
        switch method {
        case "publickey": hostKey = nil
        case "publickey-hostbound-v00@openssh.com": hostKey = try reader.string()
        default: throw SSHFormatError("another way to log in")
        }
        try reader.requireEnd()
    }

    private static func isAlgorithm(_ name: String, of key: SSHPublicKey) -> Bool {
        guard case .rsa = key.material else { return name == key.algorithm }
        let suffix = key.certificate == nil ? "" : SSHPublicKey.certificateSuffix
        return ["rsa-sha2-256", "rsa-sha2-512"].contains { name == $0 + suffix }
    }
}
