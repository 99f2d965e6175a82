/// The transport of CTAP over HID (CTAP 2.1, section 11.2), without a device and a clock: reports and times come in,
/// actions go out.
///
/// One transaction is open at a time. Meanwhile other channels learn that the authenticator is busy, but not for good:
/// - A message ends if its next report takes 500 milliseconds, and it has at most 129 reports.
/// - The performer limits how long a request waits for the person.
///
/// Then the next channel that begins a message has the link. This is not fair to a slow client: all clients share one
/// device, and nothing proves which of them sent a report.
///
/// All times are milliseconds of a clock that never goes back.
package struct HIDLink: Sendable {
    /// In bytes, in both directions.
    package static let reportSize = 64
    /// In bytes: one first report and 128 that follow it.
    package static let largestMessage = HIDReport.sizeOfFirst + 128 * HIDReport.sizeOfNext
    /// The largest one that clients are told to send: 30 reports. The kernel keeps 31 for a device of `/dev/uhid` whose program
    /// has no processor just then, and loses the rest (`UHID_BUFSIZE`, drivers/hid/uhid.c).
    package static let largestAnnounced = HIDReport.sizeOfFirst + 29 * HIDReport.sizeOfNext

    enum Transaction: Sendable {
        case none
        case assembling(HIDPartialMessage)
        /// The request is whole, but the performer has not answered yet for a channel that was reset.
        case waiting(channel: UInt32, request: [UInt8])
        case performing(channel: UInt32)

        var channel: UInt32? {
            switch self {
            case .none: nil
            case .assembling(let message): message.channel
            case .waiting(let channel, _), .performing(let channel): channel
            }
        }
    }

    var channels: HIDChannels
    var transaction = Transaction.none
    /// Whether the performer still has to answer for a channel that was reset. That answer is dropped.
    var isLateAnswerDue = false
    private var waitsForPerson = false
    private var nextKeepalive: UInt64 = 0

    /// The time between two keepalives, in milliseconds.
    private static let keepaliveInterval: UInt64 = 100
    private static let processing: UInt8 = 1
    private static let userPresenceNeeded: UInt8 = 2
    /// CTAP1_ERR_OTHER: the performer gave an answer that no message can carry.
    private static let otherError: UInt8 = 0x7F

    /// - Parameter newChannel: gives numbers for new channels, at random.
    package init(newChannel: @escaping @Sendable () -> UInt32) {
        channels = HIDChannels(newChannel: newChannel)
    }

    /// How many channels are remembered.
    package var channelCount: Int { channels.count }

    /// The channel whose request is performed; nil if none is.
    package var performedChannel: UInt32? { if case .performing(let channel) = transaction { channel } else { nil } }

    /// When `tick` has to be called; nil while nothing is going on.
    package var nextDeadline: UInt64? {
        switch transaction {
        case .none: nil
        case .assembling(let message): message.deadline
        case .waiting, .performing: nextKeepalive
        }
    }

    /// Ends a message that stopped arriving, or sends the keepalive that is due.
    package mutating func tick(at now: UInt64) -> [HIDAction] {
        guard let deadline = nextDeadline, now >= deadline else { return [] }
        switch transaction {
        case .none: return []
        case .assembling(let message):
            transaction = .none
            return fail(.messageTimeout, on: message.channel)
        case .waiting(let channel, _), .performing(let channel):
            nextKeepalive = Self.time(Self.keepaliveInterval, after: now)
            return send([waitsForPerson ? Self.userPresenceNeeded : Self.processing], .keepalive, on: channel)
        }
    }

    /// Whether the request that is being performed waits for the person. Keepalives tell the client.
    package mutating func setWaitsForPerson(_ waits: Bool) {
        guard case .performing = transaction else { return }
        waitsForPerson = waits
    }

    /// Takes the answer to the request of the last `.perform`.
    ///
    /// - Parameter response: a CTAP status byte, and CBOR.
    package mutating func answer(_ response: [UInt8], at now: UInt64) -> [HIDAction] {
        if isLateAnswerDue {
            isLateAnswerDue = false
            guard case .waiting(let channel, let request) = transaction else { return [] }
            return perform(request, for: channel, at: now)
        }
        guard case .performing(let channel) = transaction else { return [] }
        transaction = .none
        let fits = (1...Self.largestMessage).contains(response.count)
        return send(fits ? response : [Self.otherError], .cbor, on: channel)
    }

    /// Has a request performed, or lets it wait until the performer has answered the one before.
    mutating func perform(_ request: [UInt8], for channel: UInt32, at now: UInt64) -> [HIDAction] {
        nextKeepalive = Self.time(Self.keepaliveInterval, after: now)
        waitsForPerson = false
        guard !isLateAnswerDue else {
            transaction = .waiting(channel: channel, request: request)
            return []
        }
        transaction = .performing(channel: channel)
        return [.perform(request)]
    }

    func send(_ message: [UInt8], _ command: HIDCommand, on channel: UInt32) -> [HIDAction] {
        HIDReport.reports(of: message, command, on: channel).map { .send($0) }
    }

    func fail(_ error: HIDError, on channel: UInt32) -> [HIDAction] { send([error.rawValue], .error, on: channel) }

    static func time(_ interval: UInt64, after now: UInt64) -> UInt64 {
        let (time, isBeyond) = now.addingReportingOverflow(interval)
        return isBeyond ? .max : time
    }
}
