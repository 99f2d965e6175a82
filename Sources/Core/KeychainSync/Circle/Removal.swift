/// A device is a member no more. That is final.
package struct Removal: Hashable, Sendable {
    package static let mostEnds = 256

    package let device: DeviceID
    /// How far its journals count. One that is not named does not count at all.
    package let ends: [JournalPoint]

    package init(of device: DeviceID, ends: [JournalPoint]) {
        self.device = device
        self.ends = ends.sorted { $0.journal < $1.journal }
    }

    func write(to writer: inout SyncWriter) {
        writer.append(device)
        writer.append(rising: ends, by: \.journal) { $1.write(to: &$0) }
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        device = try reader.hash()
        ends = try reader.rising(atMost: Self.mostEnds, by: \.journal) { (reader) throws(SyncRefusal) in
            try JournalPoint(from: &reader)
        }
    }
}
