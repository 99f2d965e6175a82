/// The address of a server that a certificate names. Whoever made the certificate has written it.
struct RevocationServer: Sendable, Equatable {
    let url: String

    private static let mostBytes = 2_048

    /// - Returns: nil for anything but http and https, for an address without a host, and for one with a user's name.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.mostBytes,
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let lowercased = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lowercased.hasPrefix) else { return nil }
        let host = bytes.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
        guard let first = host.first, first != UInt8(ascii: ":"), !host.contains(UInt8(ascii: "@")) else { return nil }
        url = text
    }
}
