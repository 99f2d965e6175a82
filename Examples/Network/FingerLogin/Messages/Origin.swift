import Foundation

/// A server as the person's program has addressed it, in one spelling: scheme, host, and the port if it is not the usual one.
///
/// It is signed, so that a server with another address that passes challenges on gets nothing that the real one takes.
struct Origin: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// - Returns: nil unless it is `https://HOST[:PORT]`, or the same with `http` and this machine as the host.
    init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased(), !host.isEmpty, host.utf8.allSatisfy(Self.mayStandInHost),
            text.utf8.count <= 300,
            ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, parts.user == nil
        else { return nil }
        let isHere = ["127.0.0.1", "localhost"].contains(host)
        guard scheme == "https" || scheme == "http" && isHere else { return nil }
        let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        description = "\(scheme)://\(host)\(port)"
    }

    /// In names and in IPv4's numbers; what is beyond ASCII has its other spelling.
    private static func mayStandInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }
}
