/// The service's report about itself. It names no items.
package struct ServiceStatus: Sendable, Equatable {
    package let version: String
    package let mode: ServiceIdentity.Mode
    /// In seconds.
    package let uptime: Double
    package let connections: Int
    package let counts: ServiceCounts
    /// Of the database of the client's keychain; nil where there is none on a disk.
    package var databaseVersion: Int?
    /// How full the client's keychain is; nil where it has no quota.
    package var room: KeychainRoom?

    package init(
        version: String,
        mode: ServiceIdentity.Mode,
        uptime: Double,
        connections: Int,
        counts: ServiceCounts = ServiceCounts()
    ) {
        self.version = version
        self.mode = mode
        self.uptime = uptime
        self.connections = connections
        self.counts = counts
    }
}

/// What the service has counted since it began.
package struct ServiceCounts: Sendable, Equatable {
    /// Connections.
    package var accepted = 0
    /// Connections over a limit.
    package var refused = 0
    /// Connections that the identity checks ended.
    package var rejected = 0
    /// Connections that the service ended because of a malformed or late message.
    package var dropped = 0
    package var requests = 0
    package var operations = 0
    /// Operations, and requests of another kind, that failed.
    package var failures = 0

    package init() {}
}

/// What a keychain holds, and may hold.
package struct KeychainRoom: Sendable, Equatable {
    package struct Share: Sendable, Equatable {
        package let used: Int
        package let quota: Int

        package init(used: Int, quota: Int) {
            self.used = used
            self.quota = quota
        }
    }

    package let items: Share
    package let bytes: Share

    package init(items: Share, bytes: Share) {
        self.items = items
        self.bytes = bytes
    }
}

extension ServiceStatus {
    private static let countNames: [(name: String, count: any WritableKeyPath<ServiceCounts, Int> & Sendable)] = [
        ("chatelained_connections_accepted", \.accepted), ("chatelained_connections_dropped", \.dropped),
        ("chatelained_connections_refused", \.refused), ("chatelained_connections_rejected", \.rejected),
        ("chatelained_failures", \.failures), ("chatelained_operations", \.operations),
        ("chatelained_requests", \.requests),
    ]

    /// All numbers by the names that they have in a message, which is also where a person sees them.
    package var numbers: [String: Int] {
        var numbers = Dictionary(uniqueKeysWithValues: Self.countNames.map { ($0.name, counts[keyPath: $0.count]) })
        numbers["keychain_database_version"] = databaseVersion
        numbers["keychain_items"] = room?.items.used
        numbers["keychain_items_quota"] = room?.items.quota
        numbers["keychain_bytes"] = room?.bytes.used
        numbers["keychain_bytes_quota"] = room?.bytes.quota
        return numbers
    }

    /// Takes in numbers by these names. Unknown names are ignored.
    mutating func take(_ numbers: [String: Int]) {
        var counts = ServiceCounts()
        for (name, count) in Self.countNames { counts[keyPath: count] = numbers[name] ?? 0 }
        self = ServiceStatus(version: version, mode: mode, uptime: uptime, connections: connections, counts: counts)
        databaseVersion = numbers["keychain_database_version"]
        if let items = numbers["keychain_items"], let mostItems = numbers["keychain_items_quota"],
            let bytes = numbers["keychain_bytes"], let mostBytes = numbers["keychain_bytes_quota"]
        {
            room = KeychainRoom(
                items: KeychainRoom.Share(used: items, quota: mostItems),
                bytes: KeychainRoom.Share(used: bytes, quota: mostBytes)
            )
        }
    }
}
