@testable import SSHAgentProtocol

/// A certificate of a key, by an authority of a test's own.
struct SampleCertificate {
    let blob: [UInt8]
    let algorithm: String

    init(
        of key: SampleKey,
        by authority: SampleKey,
        subject: Int = 1,
        principals: [String] = ["alice"],
        validity: (after: UInt64, before: UInt64) = (0, .max),
        criticalOptions: [UInt8] = [],
        signedBy signer: SampleKey? = nil
    ) throws {
        let plain = try key.publicKey
        algorithm = plain.algorithm + "-cert-v01@openssh.com"
        let fields = key.blob.dropFirst(4 + plain.algorithm.utf8.count)
        let listed = principals.flatMap { string($0) }
        let parts: [[UInt8]] = [
            string(algorithm), string([1, 2, 3]), Array(fields), u64(7), u32(subject), string("identifier"),
            string(listed), u64(validity.after), u64(validity.before), string(criticalOptions), string([]), string([]),
            string(authority.blob),
        ]
        let signed = parts.flatMap { $0 }
        blob = signed + string(try (signer ?? authority).sign(signed))
    }

    var publicKey: SSHPublicKey { get throws { try SSHPublicKey(blob) } }

    /// The request that adds it with its key.
    func adding(_ key: SampleKey, comment: String = "a certificate") -> [UInt8] {
        [17] + string(algorithm) + string(blob) + key.privatePart + string(comment)
    }
}

private func u64(_ value: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
}
