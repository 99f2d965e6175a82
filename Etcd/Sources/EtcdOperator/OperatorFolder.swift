import EtcdMessages
package import EtcdTransport
import FoundationEssentials
import Glibc

/// What an operator keeps of a cluster: its authority, its own credentials, where the nodes are.
package struct OperatorFolder: Sendable {
    package let path: String

    package struct Node: Sendable, Equatable {
        package let name: String
        package let host: String
        package let port: UInt16
        package let peerPort: UInt16

        package init(name: String, host: String, port: UInt16, peerPort: UInt16) {
            self.name = name
            self.host = host
            self.port = port
            self.peerPort = peerPort
        }
    }

    package init(path: String) {
        // As completion writes it.
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = String(path)
    }

    private enum File {
        static let authority = "authority.pem"
        static let authorityKey = "authority.key"
        /// Of nodes among themselves. Whoever has a certificate of this one can do everything: no device has.
        static let peers = "peers.pem"
        static let peersKey = "peers.key"
        static let own = "operator.pem"
        static let nodes = "nodes"
    }

    /// The first line of the file that says where the nodes are.
    private static let version = "chatelaine-etcd-operator 1"

    // MARK: - Making a cluster

    /// Makes authorities, what each node is started with, and the operator's own credentials: all of it or nothing.
    ///
    /// - Throws: `EtcdFailure` where nodes cannot be told apart, or the folder has something already.
    package func make(_ nodes: [Node], quota: Int64) throws {
        try Self.check(nodes)
        let new = "\(path).new-\(Authority.random(4))"
        guard unsafe mkdir(new, 0o700) == 0 else { throw Self.failure("\(path) cannot be made") }
        do {
            try OperatorFolder(path: new).fill(nodes, quota: quota)
            // In place of one that is empty, too.
            guard unsafe rename(new, path) == 0 else {
                throw Self.failure(
                    "\(path) cannot be made, or has something in it (before its nodes have run, it can be removed to begin anew)"
                )
            }
        } catch {
            try? FileManager.default.removeItem(atPath: new)
            throw error
        }
    }

    private static func failure(_ text: String) -> EtcdFailure {
        EtcdFailure(.other, "\(text): \(unsafe String(cString: strerror(errno)))")
    }

    /// Checks that each node can be told from the others, and reached.
    ///
    /// - Throws: `EtcdFailure`, which says what is wrong.
    package static func check(_ nodes: [Node]) throws(EtcdFailure) {
        var names: Set<String> = []
        var places: Set<String> = []
        for node in nodes {
            try EtcdAddress.check(node.name, "node")
            // Files of the folder are called so, and etcd's administrator.
            guard ![File.nodes, Access.administrator].contains(node.name) else {
                throw EtcdFailure(.other, "no node can be called \(node.name)")
            }
            guard names.insert(node.name).inserted else {
                throw EtcdFailure(.other, "two nodes are called \(node.name)")
            }
            if EtcdAddress.isNumeric(node.host) { _ = try Addresses.bytes(of: node.host) }
            for port in [node.port, node.peerPort] {
                guard places.insert("\(node.host) \(port)").inserted else {
                    throw EtcdFailure(
                        .other,
                        "port \(port) of \(node.host) is used twice: a node uses its own, and the one after it for other nodes"
                    )
                }
            }
        }
    }

    private func fill(_ nodes: [Node], quota: Int64) throws {
        let authority = try Authority.make()
        let (certificate, key) = try authority.pem
        try write(certificate, File.authority)
        try write(key, File.authorityKey)
        let peers = try Authority.make("nodes")
        try write(try peers.pem.certificate, File.peers)
        try write(try peers.pem.key, File.peersKey)
        try write(try authority.credentials(of: Access.administrator), File.own)
        // Of this cluster alone: nodes refuse another one's.
        let token = "chatelaine-" + Authority.random(8)
        for node in nodes { try write(node, of: nodes, token, quota, authority, peers) }
        let lines = nodes.map { "\($0.name) \($0.host) \($0.port) \($0.peerPort)" }
        try write(([Self.version] + lines).joined(separator: "\n") + "\n", File.nodes)
    }

    private func write(
        _ node: Node,
        of nodes: [Node],
        _ token: String,
        _ quota: Int64,
        _ authority: Authority,
        _ peerAuthority: Authority
    ) throws {
        guard unsafe mkdir(path + "/" + node.name, 0o700) == 0 else {
            throw EtcdFailure(.other, "\(path)/\(node.name) cannot be made")
        }
        for (authority, name, isPeer) in [(authority, "node", false), (peerAuthority, "peer", true)] {
            let (own, key) = try authority.node(node.name, hosts: [node.host], isPeer: isPeer)
            try write(try authority.pem.certificate, "\(node.name)/\(isPeer ? "peers" : "authority").pem")
            try write(own, "\(node.name)/\(name).pem")
            try write(key, "\(node.name)/\(name).key")
        }
        let peers = nodes.map { "\($0.name)=https://\(Addresses.inURL($0.host)):\($0.peerPort)" }.joined(separator: ",")
        let host = Addresses.inURL(node.host)
        // A name is no address to listen on; IPv6 alone, or together with IPv4, is for the operator to write there.
        let listening = EtcdAddress.isNumeric(node.host) ? host : "0.0.0.0"
        try write(
            """
            # Node \(node.name) of a cluster for chatelaine. Start it in this folder: etcd --config-file etcd.yml
            name: "\(node.name)"
            data-dir: data
            listen-client-urls: https://\(listening):\(node.port)
            advertise-client-urls: https://\(host):\(node.port)
            listen-peer-urls: https://\(listening):\(node.peerPort)
            initial-advertise-peer-urls: https://\(host):\(node.peerPort)
            initial-cluster: "\(peers)"
            initial-cluster-token: \(token)
            initial-cluster-state: new
            client-transport-security:
              cert-file: node.pem
              key-file: node.key
              trusted-ca-file: authority.pem
              client-cert-auth: true
            # Among nodes nobody is asked for permission: they have an authority of their own.
            peer-transport-security:
              cert-file: peer.pem
              key-file: peer.key
              trusted-ca-file: peers.pem
              client-cert-auth: true
            # What each change leaves behind is given back after an hour.
            auto-compaction-mode: periodic
            auto-compaction-retention: "1h"
            quota-backend-bytes: \(quota)
            enable-grpc-gateway: false
            logger: zap
            log-level: warn

            """,
            "\(node.name)/etcd.yml"
        )
    }

    // MARK: - What is there

    package var nodes: [Node] {
        get throws {
            let lines = try read(File.nodes).split(separator: "\n")
            guard lines.first == Self.version[...] else {
                throw EtcdFailure(.other, "\(path)/\(File.nodes) was not written by this version")
            }
            return try lines.dropFirst().map { line in
                let words = line.split(separator: " ")
                guard words.count == 4, let port = UInt16(words[2]), let peerPort = UInt16(words[3]) else {
                    throw EtcdFailure(.other, "\(path)/\(File.nodes) is damaged")
                }
                return Node(name: String(words[0]), host: String(words[1]), port: port, peerPort: peerPort)
            }
        }
    }

    package var authority: Authority {
        get throws { try Authority(certificate: read(File.authority), key: read(File.authorityKey)) }
    }

    /// Speaks to the cluster as its operator.
    package func cluster() throws -> EtcdCluster {
        // Where this is no operator's folder, that says so first.
        _ = try nodes
        return try cluster(EtcdCredentials(path: path + "/" + File.own))
    }

    private func cluster(_ credentials: EtcdCredentials) throws -> EtcdCluster {
        try EtcdCluster(
            nodes: nodes.map { .init(host: $0.host, port: $0.port) },
            serverName: Authority.serverName,
            credentials: credentials
        )
    }

    /// Whether the cluster lets in those alone whom its operator names: asks as somebody who is not.
    package var isAccessEnabled: Bool {
        get async throws {
            guard let stranger = EtcdCredentials(pem: try authority.credentials(of: "stranger.\(Authority.random(8))"))
            else { throw EtcdFailure(.other, "\(path) has no credentials") }
            let cluster = try cluster(stranger)
            defer { cluster.close() }
            var request = Etcd_RangeRequest()
            request.key = Data("chatelaine".utf8)
            do {
                _ = try await cluster.call(KV.range, request)
                return false
            } catch {
                guard error.isRefusal else { throw error }
                return true
            }
        }
    }

    /// What a device is told: where a circle is.
    package func address(of circle: String) throws -> String {
        let places = try nodes.map { "\(Addresses.inURL($0.host)):\($0.port)" }.joined(separator: ",")
        return "etcd://\(places)/\(circle)?name=\(Authority.serverName)"
    }

    private func read(_ name: String) throws -> String {
        do {
            return try String(contentsOfFile: path + "/" + name, encoding: .utf8)
        } catch {
            throw EtcdFailure(
                .other,
                "\(path) is no operator's folder of a cluster, since it lacks \(name): run this where the folder is, or name it with --folder"
            )
        }
    }

    /// Writes a file that nobody else reads.
    private func write(_ text: String, _ name: String) throws {
        try PrivateFile.write(text, to: path + "/" + name)
    }
}

package enum PrivateFile {
    /// Writes a new file that nobody else reads.
    ///
    /// - Throws: `EtcdFailure` where it is there already.
    package static func write(_ text: String, to path: String) throws(EtcdFailure) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            guard errno == EEXIST else { throw failure(path) }
            throw EtcdFailure(.other, "\(path) is there already: remove it, or choose another name with --output")
        }
        defer { close(file) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw removing(path)
            }
        }
        guard fsync(file) == 0 else { throw removing(path) }
    }

    /// Half a file would be in the way of the next attempt.
    private static func removing(_ path: String) -> EtcdFailure {
        let failure = failure(path)
        unsafe unlink(path)
        return failure
    }

    private static func failure(_ path: String) -> EtcdFailure {
        EtcdFailure(.other, "\(path) cannot be written: \(unsafe String(cString: strerror(errno)))")
    }
}
