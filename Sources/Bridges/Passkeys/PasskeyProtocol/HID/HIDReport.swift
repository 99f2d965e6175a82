/// One report of CTAPHID: a piece of a message (CTAP 2.1, section 11.2.4).
struct HIDReport {
    enum Piece {
        /// - command: nil if this authenticator does not know it.
        /// - length: of the whole message, in bytes.
        case first(command: HIDCommand?, length: Int)
        case next(sequence: UInt8)
    }

    let channel: UInt32
    let piece: Piece
    /// Bytes of the message, followed by padding.
    let data: ArraySlice<UInt8>

    /// What a first report has room for, and each of those that follow.
    static let sizeOfFirst = HIDLink.reportSize - 7
    static let sizeOfNext = HIDLink.reportSize - 5
    private static let firstFlag: UInt8 = 0x80

    /// Nil if the report has another size.
    init?(_ report: [UInt8]) {
        guard report.count == HIDLink.reportSize else { return nil }
        channel = report.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        if report[4] & Self.firstFlag != 0 {
            let command = HIDCommand(rawValue: report[4] & ~Self.firstFlag)
            piece = .first(command: command, length: Int(report[5]) << 8 | Int(report[6]))
            data = report.dropFirst(7)
        } else {
            piece = .next(sequence: report[4])
            data = report.dropFirst(5)
        }
    }

    /// The reports that carry a message.
    ///
    /// - Parameter message: at most `HIDLink.largestMessage` bytes.
    static func reports(of message: [UInt8], _ command: HIDCommand, on channel: UInt32) -> [[UInt8]] {
        let length = UInt16(clamping: message.count)
        var rest = message.dropFirst(sizeOfFirst)
        let head = [firstFlag | command.rawValue] + bigEndian(length)
        var reports = [padded(bigEndian(channel) + head + message.prefix(sizeOfFirst))]
        var sequence: UInt8 = 0
        while !rest.isEmpty {
            reports.append(padded(bigEndian(channel) + [sequence] + rest.prefix(sizeOfNext)))
            rest = rest.dropFirst(sizeOfNext)
            sequence &+= 1
        }
        return reports
    }

    static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func padded(_ report: [UInt8]) -> [UInt8] {
        report + [UInt8](repeating: 0, count: max(HIDLink.reportSize - report.count, 0))
    }
}
