/// Where a circle's cluster is: `etcd://HOST[:PORT],…/NAME[?credentials=PATH][&name=SERVER]`.
///
/// `NAME` is what the operator calls the circle. All keys of its devices begin with it and a slash, and the role of the same name
/// allows no others.
package struct EtcdAddress: Sendable, Equatable {
    package struct Node: Sendable, Hashable {
        package let host: String
        package let port: UInt16

        package init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }

        /// As an address names it.
        var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    package let nodes: [Node]
    /// What the operator calls the circle.
    package let circle: String
    /// The path of the file with this device's certificate and key, and the authorities that vouch for the nodes.
    package let credentials: String
    /// The name that all nodes' certificates have; nil where each has its own address.
    package let serverName: String?

    package static let standardPort: UInt16 = 2_379
    private static let scheme = "etcd://"
    private static let mostNodes = 16

    /// - Parameter folder: where credentials are that the address does not name, as `NAME.pem`.
    /// - Throws: `EtcdFailure` of kind `other`, which says what is wrong.
    package init(_ text: String, credentialsIn folder: String) throws(EtcdFailure) {
        guard text.hasPrefix(Self.scheme) else { throw Self.refusal("it does not begin with etcd://") }
        let rest = text.dropFirst(Self.scheme.count)
        let halves = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let places = halves[0].split(separator: "/", omittingEmptySubsequences: false)
        guard places.count == 2 else { throw Self.refusal("after the nodes comes / and the circle's name") }
        var nodes: [Node] = []
        for place in places[0].split(separator: ",", omittingEmptySubsequences: false) {
            nodes.append(try Self.node(place))
        }
        guard (1...Self.mostNodes).contains(nodes.count), Set(nodes).count == nodes.count else {
            throw Self.refusal("it names a node twice, or more than \(Self.mostNodes)")
        }
        let circle = String(places[1])
        try Self.check(circle, "circle")
        var options: [Substring: String] = [:]
        for option in halves.count == 2 ? halves[1].split(separator: "&", omittingEmptySubsequences: false) : [] {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty, ["credentials", "name"].contains(parts[0]),
                options.updateValue(String(parts[1]), forKey: parts[0]) == nil
            else { throw Self.refusal("only credentials=PATH and name=SERVER are known, each once") }
        }
        self.nodes = nodes
        self.circle = circle
        credentials = options["credentials"] ?? "\(folder)/\(circle).pem"
        guard credentials.hasPrefix("/") else { throw Self.refusal("the path of the credentials is not absolute") }
        let named = nodes.filter { !Self.isNumeric($0.host) }
        if let name = options["name"] {
            serverName = name
        } else if let only = named.first, nodes.count == 1 {
            serverName = only.host
        } else if named.isEmpty {
            serverName = nil
        } else {
            throw Self.refusal("of several nodes by name, name=SERVER says the name that all their certificates have")
        }
    }

    private static func node(_ text: Substring) throws(EtcdFailure) -> Node {
        var host = text
        var port = standardPort
        // An IPv6 address is in brackets.
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw refusal("a node's address has no ]") }
            host = text[text.index(after: text.startIndex)..<end]
            let tail = text[text.index(after: end)...]
            if !tail.isEmpty {
                guard tail.hasPrefix(":"), let number = UInt16(tail.dropFirst()), number > 0 else {
                    throw refusal("a node's port is no number from 1 to 65535")
                }
                port = number
            }
            guard isNumeric(String(host)) else { throw refusal("what is in brackets is no IPv6 address") }
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else {
                throw refusal("a node's port is no number from 1 to 65535")
            }
            port = number
        }
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard (1...253).contains(host.utf8.count), isPlain, !host.hasPrefix("-") else {
            throw refusal("a node's name has other characters than letters, digits, hyphens and dots, or none")
        }
        return Node(host: String(host), port: port)
    }

    /// Whether a host is an address, and no name.
    package static func isNumeric(_ host: String) -> Bool {
        host.contains(":") || (host.split(separator: ".").count == 4 && host.utf8.allSatisfy { $0 < 58 })
    }

    /// Checks a name that the operator gives: it is a part of keys, of roles and of certificates.
    ///
    /// - Parameter kind: of what, for the error.
    package static func check(_ name: String, _ kind: String) throws(EtcdFailure) {
        guard isName(name) else {
            throw EtcdFailure(
                .other,
                "the name of a \(kind) is 1 to 64 small letters, digits and hyphens, and does not begin with a hyphen"
            )
        }
    }

    /// Whether an operator can give this name.
    package static func isName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        return (1...64).contains(name.utf8.count) && isPlain && !name.hasPrefix("-")
    }

    private static func refusal(_ reason: String) -> EtcdFailure {
        EtcdFailure(.other, "that is no address of a cluster: \(reason)")
    }
}
