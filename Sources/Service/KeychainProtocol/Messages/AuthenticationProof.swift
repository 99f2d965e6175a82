import Crypto

/// The client's answer to the nonce. It is no secret: it shows that the sender has seen this connection's nonce.
package enum AuthenticationProof {
    /// The versions of the protocol that this code speaks.
    package static let versions: ClosedRange<UInt32> = 1...1

    /// SHA-256 over "chatelaine auth v1", the nonce, and both versions as four bytes each, highest first.
    package static func proof(for hello: Hello) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: Array("chatelaine auth v1".utf8))
        hash.update(data: hello.nonce)
        for version in [hello.versions.lowerBound, hello.versions.upperBound] {
            hash.update(data: (0..<4).map { UInt8(truncatingIfNeeded: version >> UInt32(24 - $0 * 8)) })
        }
        return Array(hash.finalize())
    }
}
