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
            package let version: String
            package let isLeader: Bool
            /// In bytes: the file, and what of it is in use.
            package let size: Int64
            package let used: Int64
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

    /// Asks each node.
    package func states() async throws(EtcdFailure) -> [State] {
        var states: [State] = []
        for node in nodes {
            let cluster = try cluster(node)
            defer { cluster.close() }
            let status = try? await cluster.call(Maintenance.status, Etcd_EmptyRequest(), within: .seconds(3))
            states.append(
                State(
                    node: node.name,
                    answer: status.map {
                        .init(
                            version: $0.version,
                            isLeader: $0.leader == $0.header.memberID,
                            size: $0.dbSize,
                            used: $0.dbSizeInUse
                        )
                    }
                )
            )
        }
        return states
    }

    /// The alarms that are raised: `no space`, `corrupt`.
    package func alarms(_ cluster: EtcdCluster) async throws(EtcdFailure) -> [String] {
        let answer = try await cluster.call(Maintenance.alarm, Etcd_AlarmRequest())
        return answer.alarms.map { $0.alarm == 1 ? "no space" : $0.alarm == 2 ? "corrupt" : "alarm \($0.alarm)" }
    }

    /// Gives back the room that removed and replaced blobs take, on one node after the other, and ends the alarm of a full
    /// cluster.
    package func makeRoom(_ cluster: EtcdCluster) async throws(EtcdFailure) {
        var look = Etcd_RangeRequest()
        look.key = .init("chatelaine".utf8)
        let revision = try await cluster.call(KV.range, look).header.revision
        var compaction = Etcd_CompactionRequest()
        compaction.revision = revision
        compaction.physical = true
        do throws(EtcdFailure) {
            _ = try await cluster.call(KV.compact, compaction, within: .seconds(60))
        } catch  where error.description.contains("compacted") {
            // Nothing has changed since the last one.
        }
        for node in nodes {
            let one = try self.cluster(node)
            defer { one.close() }
            // A node answers nothing else meanwhile.
            _ = try await one.call(
                Maintenance.defragment,
                Etcd_EmptyRequest(),
                within: .seconds(120),
                attempt: .seconds(120)
            )
        }
        // Each node has raised its own.
        for alarm in try await cluster.call(Maintenance.alarm, Etcd_AlarmRequest()).alarms where alarm.alarm == 1 {
            var request = Etcd_AlarmRequest()
            request.action = 2
            request.memberID = alarm.memberID
            request.alarm = alarm.alarm
            _ = try await cluster.call(Maintenance.alarm, request)
        }
    }
}
