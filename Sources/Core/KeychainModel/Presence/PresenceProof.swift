/// Names what a person has proved. The enclave keeps the proof itself.
package struct PresenceProof: Sendable, Hashable, CustomStringConvertible {
    /// 32 random bytes.
    package let bytes: [UInt8]

    package static let size = 32

    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    package init() {
        bytes = RandomBytes.make(Self.size)
    }

    package var description: String { "[REDACTED]" }
}
