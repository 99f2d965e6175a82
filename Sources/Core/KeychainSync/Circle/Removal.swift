/// A device is a member no more. That is final.
package struct Removal: Hashable, Sendable {
    package static let mostEnds = 256

    package let device: DeviceID
    /// How far its journals count. One that is not named does not count at all.
    package let ends: [Ending]

    /// - Parameter ends: of journals of this device.
    package init(of device: DeviceID, ends: [Ending]) {
        self.device = device
        self.ends = ends.sorted { $0.salt < $1.salt }
    }

    func write(to writer: inout SyncWriter) {
        writer.append(device)
        writer.append(rising: ends, by: \.salt) { $1.writePlace(to: &$0) }
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        let device = try reader.hash()
        self.device = device
        ends = try reader.rising(atMost: Self.mostEnds, by: \.salt) { (reader) throws(SyncRefusal) in
            try Ending(of: device, placeFrom: &reader)
        }
    }
}
