/// What a certificate says of its key (OpenSSH's PROTOCOL.certkeys).
package struct SSHCertificate: Sendable, Hashable {
    package enum Subject: UInt32, Sendable {
        case user = 1
        case host = 2
    }

    package let subject: Subject
    package let principals: [String]
    /// Seconds since 1970.
    package let validAfter: UInt64
    package let validBefore: UInt64
    package let hasCriticalOptions: Bool
    /// The key of whoever has certified it, as it came.
    package let authority: [UInt8]
    /// All that stands before the signature.
    private let signedPart: [UInt8]
    private let signature: [UInt8]

    /// Reads what follows the public key.
    init(_ reader: inout SSHReader, of blob: [UInt8]) throws(SSHFormatError) {
        // The serial number.
        _ = try reader.uint64()
        guard let subject = Subject(rawValue: try reader.uint32()) else {
            throw SSHFormatError("a certificate is for neither a user nor a host")
        }
        self.subject = subject
        // The key's identifier, for logs.
        _ = try reader.string()
        var list = SSHReader(try reader.string())
        var principals: [String] = []
        while !list.isAtEnd {
            guard principals.count < Self.mostPrincipals else { throw SSHFormatError("too many principals") }
            principals.append(try list.text())
        }
        self.principals = principals
        validAfter = try reader.uint64()
        validBefore = try reader.uint64()
        hasCriticalOptions = try !reader.string().isEmpty
        // Extensions, and what is reserved.
        _ = try reader.string()
        _ = try reader.string()
        authority = try reader.string()
        signedPart = Array(blob.prefix(blob.count - reader.remaining))
        signature = try reader.string()
    }

    /// As many as OpenSSH reads.
    private static let mostPrincipals = 256

    /// Whether the authority's signature is right. An authority that is itself certified is none.
    package var isSignedByAuthority: Bool {
        guard let key = try? SSHPublicKey(authority), key.certificate == nil else { return false }
        return key.isValid(signature, of: signedPart)
    }

    /// Whether it makes its key that of a host, now.
    ///
    /// - Parameters:
    ///   - name: of the host. Principals may be patterns; no principal at all stands for every host.
    ///   - date: seconds since 1970.
    func isValid(forHost name: String, at date: UInt64) -> Bool {
        subject == .host && !hasCriticalOptions && date >= validAfter && date < validBefore && isSignedByAuthority
            && (principals.isEmpty || principals.contains { Pattern($0).matches(name) })
    }
}
