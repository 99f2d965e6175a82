/// A journal ends at a point: what comes after it does not count.
package struct Ending: Hashable, Sendable {
    /// Whose journal it is.
    package let device: DeviceID
    package let point: JournalPoint

    package init(of device: DeviceID, at point: JournalPoint) {
        self.device = device
        self.point = point
    }

    func write(to writer: inout SyncWriter) {
        writer.append(device)
        point.write(to: &writer)
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        device = try reader.hash()
        point = try JournalPoint(from: &reader)
    }
}
