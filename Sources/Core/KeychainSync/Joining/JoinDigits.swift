/// Twelve digits that both ends of a ceremony have if, and only if, they have the same messages.
package struct JoinDigits: Equatable, Sendable {
    private static let tag = "chatelaine sync join transcript 1"

    /// Shown by the newcomer, typed at the member.
    package let newcomers: String
    /// Shown by the member after that, typed at the newcomer.
    package let members: String

    package init(_ request: JoinRequest, _ answer: JoinAnswer, _ reveal: JoinReveal) {
        var transcript = SyncWriter()
        for message in [request.encoded, answer.encoded, reveal.encoded] { transcript.append(field: message) }
        // 64 bits, so that no digit is likelier than another by more than one in ten million.
        let number = SyncHash(of: transcript.bytes, tag: Self.tag).bytes.prefix(8).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        let digits = String(number % 1_000_000_000_000)
        let all = String(repeating: "0", count: 12 - digits.count) + digits
        newcomers = String(all.prefix(6))
        members = String(all.suffix(6))
    }

    /// Compares in a time that does not depend on where they differ.
    package static func isSame(_ typed: String, as digits: String) -> Bool {
        let (one, other) = (Array(typed.utf8), Array(digits.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
