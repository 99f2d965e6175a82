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
        self.path = path
    }

    private enum File {
        static let authority = "authority.pem"
        static let authorityKey = "authority.key"
        static let own = "operator.pem"
        static let nodes = "nodes"
    }

    /// The first line of the file that says where the nodes are.
    private static let version = "chatelaine-etcd-operator 1"

    // MARK: - Making a cluster

    /// Makes an authority, what each node is started with, and the operator's own credentials.
    ///
    /// - Throws: `EtcdFailure` where the folder has something already.
    package func make(_ nodes: [Node], quota: Int64) throws {
        guard unsafe mkdir(path, 0o700) == 0 || (errno == EEXIST && isEmpty) else {
            throw EtcdFailure(.other, "\(path) cannot be made, or has something in it")
        }
        let authority = try Authority.make()
        let (certificate, key) = try authority.pem
        try write(certificate, File.authority)
        try write(key, File.authorityKey)
        try write(try authority.credentials(of: Access.administrator), File.own)
        // Of this cluster alone: nodes refuse another one's.
        let token = "chatelaine-" + Authority.random(8)
        for node in nodes { try write(node, of: nodes, token, quota, authority, certificate) }
        let lines = nodes.map { "\($0.name) \($0.host) \($0.port) \($0.peerPort)" }
        try write(([Self.version] + lines).joined(separator: "\n") + "\n", File.nodes)
    }

    private var isEmpty: Bool { (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? false }

    private func write(
        _ node: Node,
        of nodes: [Node],
        _ token: String,
        _ quota: Int64,
        _ authority: Authority,
        _ certificate: String
    ) throws {
        guard unsafe mkdir(path + "/" + node.name, 0o700) == 0 else {
            throw EtcdFailure(.other, "\(path)/\(node.name) cannot be made")
        }
        let (own, key) = try authority.node(node.name, hosts: [node.host])
        try write(certificate, "\(node.name)/authority.pem")
        try write(own, "\(node.name)/node.pem")
        try write(key, "\(node.name)/node.key")
        let peers = nodes.map { "\($0.name)=https://\(Addresses.inURL($0.host)):\($0.peerPort)" }.joined(separator: ",")
        let host = Addresses.inURL(node.host)
        // A name is no address to listen on.
        let listening = EtcdAddress.isNumeric(node.host) ? host : "0.0.0.0"
        let security = """
              cert-file: node.pem
              key-file: node.key
              trusted-ca-file: authority.pem
              client-cert-auth: true
            """
        try write(
            """
            # Node \(node.name) of a cluster for chatelaine. Start it in this folder: etcd --config-file etcd.yml
            name: \(node.name)
            data-dir: data
            listen-client-urls: https://\(listening):\(node.port)
            advertise-client-urls: https://\(host):\(node.port)
            listen-peer-urls: https://\(listening):\(node.peerPort)
            initial-advertise-peer-urls: https://\(host):\(node.peerPort)
            initial-cluster: \(peers)
            initial-cluster-token: \(token)
            initial-cluster-state: new
            client-transport-security:
            \(security)
            peer-transport-security:
            \(security)
            # What each change leaves behind is given back after an hour.
            auto-compaction-mode: periodic
            auto-compaction-retention: "1h"
            quota-backend-bytes: \(quota)
            # etcd's older interface would ask nobody for permission.
            enable-v2: false
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
        try EtcdCluster(
            nodes: nodes.map { .init(host: $0.host, port: $0.port) },
            serverName: Authority.serverName,
            credentials: EtcdCredentials(path: path + "/" + File.own)
        )
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
            throw EtcdFailure(.other, "\(path) is no operator's folder of a cluster, since it lacks \(name)")
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
            throw EtcdFailure(.other, "\(path) cannot be written: \(unsafe String(cString: strerror(errno)))")
        }
        defer { close(file) }
        let bytes = Array(text.utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
        guard count == bytes.count, fsync(file) == 0 else { throw EtcdFailure(.other, "\(path) cannot be written") }
    }
}
