package import KeychainModel
package import KeychainSync

/// What a transport says of a circle, for a device that does not belong to it.
package enum CircleReading {
    /// Members have fewer journals, and anybody can write files with the names of heads.
    package static let mostHeads = 4_096

    /// The first entry of a circle.
    static func founding(of circle: CircleID, over transport: some SyncTransport) throws(KeychainError) -> Entry {
        let bytes = try CircleFailure.translating { try transport.read(.entry(circle), in: circle) }
        guard let bytes, let founding = try? Entry(bytes), founding.hash == circle else {
            throw KeychainError(.notAvailable, "the circle's first entry is not there, or not yet")
        }
        return founding
    }

    /// All entries of a circle that a transport has.
    static func circle(_ id: CircleID, over transport: some SyncTransport) throws(KeychainError) -> Circle {
        let founding = try founding(of: id, over: transport)
        return try CircleFailure.translating {
            var circle = try Circle(founding: founding)
            var entries: [Entry] = []
            for case .entry(let hash) in try transport.list(.entry, in: id).prefix(Circle.mostEntries * 2)
            where hash != founding.hash {
                guard let bytes = try transport.read(.entry(hash), in: id), let entry = try? Entry(bytes),
                    entry.hash == hash
                else { continue }
                entries.append(entry)
            }
            _ = circle.insert(entries)
            return circle
        }
    }

    /// The devices of a circle, with what their clocks said in the newest heads that a transport has, in milliseconds since 1970. With a
    /// recovery key nobody vouches for how new they are: the owner does.
    ///
    /// - Returns: no date for a device that has written no head.
    package static func heads(
        of id: CircleID,
        over transport: some SyncTransport
    ) throws(KeychainError) -> [(device: DeviceID, clock: UInt64?)] {
        let circle = try circle(id, over: transport)
        var clocks: [DeviceID: UInt64] = [:]
        try CircleFailure.translating {
            for case .head(let journal) in try transport.list(.head, in: id).prefix(mostHeads) {
                guard let bytes = try transport.read(.head(journal), in: id), let head = try? Head(bytes),
                    let card = circle.state.members[head.contents.device], head.isSigned(by: card)
                else { continue }
                clocks[card.id] = max(clocks[card.id] ?? 0, head.contents.clock)
            }
        }
        let devices = circle.state.members.values.filter { $0.kind == .device }.map(\.id).sorted()
        return devices.map { ($0, clocks[$0]) }
    }
}
