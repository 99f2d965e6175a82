import Crypto
package import KeychainModel

/// What follows one another in the body of a backup, each with its length before it.
package enum BackupRecord: Sendable {
    case item(BackupItem)
    /// An item that only the device it came from opens; `number` is its place among the records.
    case deviceItem(box: [UInt8], number: UInt64)

    enum Kind: UInt8 {
        case end = 0
        case item = 1
        case deviceItem = 2
    }

    /// The largest item: its value, and each attribute of its class with 1 MiB.
    static let largest = 96 << 20
}

/// What stands at a backup's end.
package struct BackupCounts: Sendable, Equatable {
    /// Items that any device takes.
    package var items: UInt64 = 0
    /// Items for the device alone that made the backup.
    package var deviceItems: UInt64 = 0
    /// Rows that were damaged and so are missing.
    package var damaged: UInt64 = 0

    package init(items: UInt64 = 0, deviceItems: UInt64 = 0, damaged: UInt64 = 0) {
        self.items = items
        self.deviceItems = deviceItems
        self.damaged = damaged
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for number in [items, deviceItems, damaged] { bytes.append(number: number) }
        return bytes
    }

    init?(encoded: some Collection<UInt8>) {
        let bytes = Array(encoded)
        guard bytes.count == 24 else { return nil }
        items = bytes[0..<8].bigEndian
        deviceItems = bytes[8..<16].bigEndian
        damaged = bytes[16..<24].bigEndian
    }
}
