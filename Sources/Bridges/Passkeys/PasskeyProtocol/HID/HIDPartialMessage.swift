/// A message whose reports are still arriving.
struct HIDPartialMessage: Sendable {
    let channel: UInt32
    let command: HIDCommand
    private let length: Int
    private(set) var bytes: [UInt8] = []
    private var nextSequence: UInt8 = 0
    /// When the next report has to be there, in milliseconds.
    private(set) var deadline: UInt64

    /// The longest time between two reports of a message, in milliseconds.
    private static let longestPause: UInt64 = 500

    /// - Parameters:
    ///   - length: of the whole message, at most `HIDLink.largestMessage`.
    ///   - data: of the first report.
    init(channel: UInt32, command: HIDCommand, length: Int, data: ArraySlice<UInt8>, at now: UInt64) {
        self.channel = channel
        self.command = command
        self.length = length
        deadline = HIDLink.time(Self.longestPause, after: now)
        take(data)
    }

    var isWhole: Bool { bytes.count >= length }

    /// Adds the next report.
    ///
    /// - Returns: whether it was the next one.
    mutating func append(_ data: ArraySlice<UInt8>, sequence: UInt8, at now: UInt64) -> Bool {
        guard sequence == nextSequence else { return false }
        nextSequence &+= 1
        deadline = HIDLink.time(Self.longestPause, after: now)
        take(data)
        return true
    }

    private mutating func take(_ data: ArraySlice<UInt8>) {
        bytes += data.prefix(max(length - bytes.count, 0))
    }
}
