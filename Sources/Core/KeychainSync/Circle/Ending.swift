/// A journal ends at a point: what comes after it does not count.
package struct Ending: Hashable, Sendable {
    /// Whose journal it is.
    package let device: DeviceID
    /// What the journal's name was made from: nobody can end a journal as another device's.
    package let salt: SyncName
    package let point: JournalPoint

    /// - Parameters:
    ///   - number: of the last segment that counts; 0 where none does.
    ///   - hash: of that segment; zero where none counts.
    package init(of device: DeviceID, salt: SyncName, at number: UInt64, _ hash: SegmentHash) {
        self.device = device
        self.salt = salt
        point = JournalPoint(journal: JournalID(ofJournalOf: device, salt: salt), number: number, hash: hash)
    }

    /// - Parameter point: of this journal.
    init(of device: DeviceID, salt: SyncName, at point: JournalPoint) {
        self.init(of: device, salt: salt, at: point.number, point.hash)
    }

    package var journal: JournalID { point.journal }

    /// Without the device.
    func writePlace(to writer: inout SyncWriter) {
        writer.append(salt.bytes)
        writer.append(number: point.number)
        writer.append(point.hash)
    }

    /// Reads what `writePlace` writes.
    init(of device: DeviceID, placeFrom reader: inout SyncReader) throws(SyncRefusal) {
        let salt = try SyncName(from: &reader)
        let number = try reader.number(UInt64.self)
        let hash = try reader.hash()
        guard number < Record.numberBound, (number == 0) == (hash == .zero) else { throw .outOfRange }
        self.init(of: device, salt: salt, at: number, hash)
    }

    func write(to writer: inout SyncWriter) {
        writer.append(device)
        writePlace(to: &writer)
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        try self.init(of: try reader.hash(), placeFrom: &reader)
    }
}
