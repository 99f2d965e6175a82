extension HIDLink {
    /// The status of a request that was cancelled, CTAP2_ERR_KEEPALIVE_CANCEL.
    private static let cancelled: UInt8 = 0x2D
    private static let protocolVersion: UInt8 = 2
    /// Major, minor, build.
    private static let deviceVersion: [UInt8] = [1, 0, 0]
    /// WINK, CBOR, and no MSG.
    private static let capabilities: UInt8 = 0x01 | 0x04 | 0x08
    private static let nonceSize = 8

    /// Takes a report from a client. One of another size than `reportSize` is ignored.
    package mutating func receive(_ report: [UInt8], at now: UInt64) -> [HIDAction] {
        guard let report = HIDReport(report) else { return [] }
        // A message whose time is over does not keep this report out, even if nobody called `tick` yet.
        var actions: [HIDAction] = []
        if case .assembling = transaction { actions = tick(at: now) }
        switch report.piece {
        case .first(let command, let length): actions += begin(command, length, report, at: now)
        case .next(let sequence): actions += proceed(report, sequence, at: now)
        }
        return actions
    }

    private mutating func begin(
        _ command: HIDCommand?,
        _ length: Int,
        _ report: HIDReport,
        at now: UInt64
    ) -> [HIDAction] {
        let channel = report.channel
        if command == .cancel { return length == 0 ? cancel(on: channel) : [] }
        let isNew = channel == HIDChannels.broadcast && command == .initialize
        guard isNew || channels.contains(channel) else { return fail(.invalidChannel, on: channel) }
        channels.use(channel)
        if command == .initialize { return initialize(length, report) }

        if let owner = transaction.channel {
            guard owner == channel, case .assembling = transaction else { return fail(.channelBusy, on: channel) }
            transaction = .none
            return fail(.invalidSequence, on: channel)
        }
        guard let command, let lengths = Self.lengths(of: command) else { return fail(.invalidCommand, on: channel) }
        guard lengths.contains(length) else { return fail(.invalidLength, on: channel) }
        let data = report.data
        let message = HIDPartialMessage(channel: channel, command: command, length: length, data: data, at: now)
        return message.isWhole ? finish(message, at: now) : wait(for: message)
    }

    private mutating func proceed(_ report: HIDReport, _ sequence: UInt8, at now: UInt64) -> [HIDAction] {
        // A piece of no message is ignored: it may be the rest of one that was refused.
        guard case .assembling(var message) = transaction, message.channel == report.channel else { return [] }
        // No second copy of the bytes remains while they are appended.
        transaction = .none
        guard message.append(report.data, sequence: sequence, at: now) else {
            return fail(.invalidSequence, on: report.channel)
        }
        return message.isWhole ? finish(message, at: now) : wait(for: message)
    }

    private mutating func wait(for message: HIDPartialMessage) -> [HIDAction] {
        transaction = .assembling(message)
        return []
    }

    private mutating func finish(_ message: HIDPartialMessage, at now: UInt64) -> [HIDAction] {
        switch message.command {
        case .ping: send(message.bytes, .ping, on: message.channel)
        case .wink: [.wink] + send([], .wink, on: message.channel)
        case .cbor: perform(message.bytes, for: message.channel, at: now)
        case .initialize, .cancel, .keepalive, .error: []
        }
    }

    /// How long the message of a command may be; nil if clients do not send the command.
    private static func lengths(of command: HIDCommand) -> ClosedRange<Int>? {
        switch command {
        case .ping: 0...largestMessage
        case .wink: 0...0
        case .cbor: 1...largestMessage
        case .initialize, .cancel, .keepalive, .error: nil
        }
    }

    /// Gives a new channel, or resynchronises one that exists: what was going on there ends. The other channels notice
    /// nothing.
    private mutating func initialize(_ length: Int, _ report: HIDReport) -> [HIDAction] {
        let isOwner = transaction.channel == report.channel
        guard length == Self.nonceSize else {
            if isOwner, case .assembling = transaction { transaction = .none }
            return fail(.invalidLength, on: report.channel)
        }
        let actions = isOwner ? reset() : []
        let isBroadcast = report.channel == HIDChannels.broadcast
        let channel = isBroadcast ? channels.allocate(keeping: transaction.channel) : report.channel
        var message = Array(report.data.prefix(Self.nonceSize))
        message += HIDReport.bigEndian(channel)
        message += [Self.protocolVersion] + Self.deviceVersion + [Self.capabilities]
        return actions + send(message, .initialize, on: report.channel)
    }

    /// Ends the transaction without a word to its client.
    private mutating func reset() -> [HIDAction] {
        defer { transaction = .none }
        guard case .performing = transaction else { return [] }
        isLateAnswerDue = true
        return [.cancel]
    }

    /// Counts only on the channel whose request is open, and gets no answer itself. The request does, as always.
    private mutating func cancel(on channel: UInt32) -> [HIDAction] {
        guard transaction.channel == channel else { return [] }
        switch transaction {
        case .none, .assembling: return []
        case .performing: return [.cancel]
        case .waiting:
            transaction = .none
            return send([Self.cancelled], .cbor, on: channel)
        }
    }
}
