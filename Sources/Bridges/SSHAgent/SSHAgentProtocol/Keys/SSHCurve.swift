/// The curves of RFC 5656 that keys are on.
package enum SSHCurve: String, Sendable, Hashable, CaseIterable {
    case p256 = "nistp256"
    case p384 = "nistp384"
    case p521 = "nistp521"

    package var algorithm: String { "ecdsa-sha2-" + rawValue }

    /// Of a coordinate and of a private key, in bytes.
    var size: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }
}
