import EtcdMessages
package import EtcdTransport

/// How a cluster is, and what brings it back.
package struct Health: Sendable {
    private let folder: OperatorFolder
    private let nodes: [OperatorFolder.Node]
    private let credentials: EtcdCredentials

    package struct State: Sendable {
        package let node: String
        /// Nil where the node does not answer.
        package let answer: Answer?

        package struct Answer: Sendable {
            package let version: Version
            package let isLeader: Bool
            /// In bytes: the file, and what of it is in use.
            package let size: Int64
            package let used: Int64
        }
    }

    /// A version of etcd.
    package struct Version: Sendable, CustomStringConvertible {
        package let description: String
        private let numbers: [Int]

        package init(_ text: String) {
            description = PlainText.line(text, atMost: 40)
            numbers = text.split(separator: ".", omittingEmptySubsequences: false).prefix(3).map {
                Int($0.prefix { $0.isASCII && $0.isNumber }) ?? 0
            }
        }

        /// The first one whose faults in who may do what are mended, as far as etcd's advisories say (GHSA-q8m4-xhhv-38mg,
        /// GHSA-rfx7-8w68-q57q, GHSA-x35m-3gp4-4fh5, GHSA-xg4h-6gfc-h4m8; etcd-io/etcd#22386, which 3.4 and 3.5 still have).
        package static let separatesCircles = Version("3.6.14")
        /// Newer, and not mended.
        private static let exception = [3, 7, 0]

        /// Whether a device cannot do to other circles what its role does not allow.
        package var separatesCircles: Bool {
            !numbers.lexicographicallyPrecedes(Self.separatesCircles.numbers) && numbers != Self.exception
        }
    }

    package init(of folder: OperatorFolder) throws {
        self.folder = folder
        nodes = try folder.nodes
        credentials = try EtcdCredentials(path: folder.path + "/operator.pem")
    }

    private func cluster(_ node: OperatorFolder.Node) throws(EtcdFailure) -> EtcdCluster {
        try EtcdCluster(
            nodes: [.init(host: node.host, port: node.port)],
            serverName: Authority.serverName,
            credentials: credentials
        )
    }

    /// Asks all nodes at the same time.
    ///
    /// - Returns: in the order of the operator's list.
    package func states() async throws(EtcdFailure) -> [State] {
        let clusters = try nodes.map { (node) throws(EtcdFailure) in try cluster(node) }
        defer { for cluster in clusters { cluster.close() } }
        return await withTaskGroup(of: (Int, State).self) { group in
            for (place, cluster) in clusters.enumerated() {
                let name = nodes[place].name
                group.addTask { (place, State(node: name, answer: await Self.answer(of: cluster))) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func answer(of cluster: EtcdCluster) async -> State.Answer? {
        let request = Etcd_EmptyRequest()
        guard let status = try? await cluster.call(Maintenance.status, request, within: .seconds(3)) else { return nil }
        return State.Answer(
            version: Version(status.version),
            isLeader: status.leader == status.header.memberID,
            size: status.dbSize,
            used: status.dbSizeInUse
        )
    }

    /// The alarms that are raised: `no space`, `corrupt`.
    package func alarms(_ cluster: EtcdCluster) async throws(EtcdFailure) -> [String] {
        let answer = try await cluster.call(Maintenance.alarm, Etcd_AlarmRequest())
        return answer.alarms.map { $0.alarm == 1 ? "no space" : $0.alarm == 2 ? "corrupt" : "alarm \($0.alarm)" }
    }

    /// Gives back the room that removed and replaced blobs take, on one node after the other, and ends the alarm of a full
    /// cluster. A node that does not answer keeps no other one from it.
    ///
    /// - Throws: `EtcdFailure`, once the others are done, which names the nodes that have not done it.
    package func makeRoom(_ cluster: EtcdCluster) async throws(EtcdFailure) {
        var look = Etcd_RangeRequest()
        look.key = .init("chatelaine".utf8)
        let revision = try await cluster.call(KV.range, look).header.revision
        var compaction = Etcd_CompactionRequest()
        compaction.revision = revision
        compaction.physical = true
        do throws(EtcdFailure) {
            _ = try await cluster.call(KV.compact, compaction, within: .seconds(60), attempt: .seconds(60))
        } catch  where error.description.contains("compacted") {
            // Nothing has changed since the last one.
        }
        var failures: [String] = []
        for node in nodes {
            do throws(EtcdFailure) { try await defragment(node) } catch { failures.append("\(node.name): \(error)") }
        }
        // Each node has raised its own.
        for alarm in try await cluster.call(Maintenance.alarm, Etcd_AlarmRequest()).alarms where alarm.alarm == 1 {
            var request = Etcd_AlarmRequest()
            request.action = 2
            request.memberID = alarm.memberID
            request.alarm = alarm.alarm
            _ = try await cluster.call(Maintenance.alarm, request)
        }
        guard failures.isEmpty else {
            throw EtcdFailure(.other, "not all nodes have given back room; \(failures.joined(separator: "; "))")
        }
    }

    private func defragment(_ node: OperatorFolder.Node) async throws(EtcdFailure) {
        let one = try cluster(node)
        defer { one.close() }
        // One that is there says so at once; meanwhile it answers nothing else.
        _ = try await one.call(Maintenance.status, Etcd_EmptyRequest(), within: .seconds(5))
        _ = try await one.call(
            Maintenance.defragment,
            Etcd_EmptyRequest(),
            within: .seconds(120),
            attempt: .seconds(120)
        )
    }
}
