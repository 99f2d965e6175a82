import PasskeyProtocol
import Testing

/// Channels that want something at the same time, and requests that end early.
struct HIDTransactionTests {
    private let request: [UInt8] = [0x04]
    private let other: [UInt8] = [0x02, 0xA0]
    private let long = (0..<200).map { UInt8($0) }

    private func initialized(_ channel: UInt32) -> HIDTestLink.Event {
        let message = HIDTestLink.nonce + HIDTestLink.bytes(of: channel) + [2, 1, 0, 0, 0x0D]
        return .message(.initialize, message, on: channel)
    }

    @Test(arguments: [false, true])
    func `a transaction keeps another channel's messages out, but not its INIT`(isWhole: Bool) {
        var link = HIDTestLink()
        let (first, second) = (link.open(), link.open())
        let reports = HIDTestLink.reports(0x10, long, on: first)
        for report in isWhole ? reports : [reports[0]] { _ = link.receive(report) }
        for command in [HIDTestLink.Command.ping, .cbor, .wink, .message, .lock] {
            #expect(link.send(command, [1], on: second) == [.error(0x06, on: second)])
        }
        #expect(link.send(.initialize, HIDTestLink.nonce, on: second) == [initialized(second)])
        let third = link.open()
        #expect(link.send(.ping, long, on: third) == [.error(0x06, on: third)])
        if !isWhole { #expect(reports.dropFirst().flatMap { link.receive($0) } == [.perform(long)]) }
        #expect(link.answer([0]) == [.message(.cbor, [0], on: first)])
        #expect(link.send(.ping, long, on: third) == [.message(.ping, long, on: third)])
    }

    @Test(arguments: [HIDTestLink.Command.ping, .cbor, .wink, .message, .lock])
    func `while its request is performed, a channel is busy`(command: HIDTestLink.Command) {
        var link = HIDTestLink()
        let channel = link.open()
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
        #expect(link.send(command, long, on: channel) == [.error(0x06, on: channel)])
        #expect(link.send(.initialize, [], on: channel) == [.error(0x03, on: channel)])
        #expect(link.answer([0]) == [.message(.cbor, [0], on: channel)])
    }

    @Test func `keepalives tell each 100 milliseconds whether the person is needed`() {
        var link = HIDTestLink()
        let channel = link.open()
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
        for isNeeded in [false, false, true, true, false] {
            link.link.setWaitsForPerson(isNeeded)
            #expect(link.link.nextDeadline == link.clock + 100)
            link.clock += 99
            #expect(link.tick() == [])
            link.clock += 1
            #expect(link.tick() == [.message(.keepalive, [isNeeded ? 2 : 1], on: channel)])
        }
        link.link.setWaitsForPerson(true)
        #expect(link.answer([0]) == [.message(.cbor, [0], on: channel)])
        #expect(link.link.nextDeadline == nil)
        // The next request begins without the person.
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
        link.clock += 1_000
        #expect(link.tick() == [.message(.keepalive, [1], on: channel)])
        #expect(link.link.nextDeadline == link.clock + 100)
    }

    @Test func `a cancel counts on the channel of the request, and only the request is answered`() {
        var link = HIDTestLink()
        let (one, two) = (link.open(), link.open())
        #expect(link.send(.cancel, on: one) == [])
        #expect(link.send(.cbor, request, on: one) == [.perform(request)])
        for channel in [two, 0, 99, HIDTestLink.broadcast] { #expect(link.send(.cancel, on: channel) == []) }
        #expect(link.send(.cancel, [1], on: one) == [])
        #expect(link.send(.cancel, on: one) == [.cancel])
        #expect(link.answer([0x2D]) == [.message(.cbor, [0x2D], on: one)])
        #expect(link.send(.cancel, on: one) == [])
    }

    @Test func `an INIT on the channel of a message drops the message`() {
        var link = HIDTestLink()
        let channel = link.open()
        let reports = HIDTestLink.reports(0x10, long, on: channel)
        #expect(link.receive(reports[0]) == [])
        #expect(link.send(.initialize, HIDTestLink.nonce, on: channel) == [initialized(channel)])
        #expect(reports.dropFirst().flatMap { link.receive($0) } == [])
        #expect(link.link.nextDeadline == nil)
        #expect(link.link.channelCount == 1)
    }

    @Test func `an INIT on the channel of a request cancels it, and its answer is dropped`() {
        var link = HIDTestLink()
        let channel = link.open()
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
        #expect(link.send(.initialize, HIDTestLink.nonce, on: channel) == [.cancel, initialized(channel)])
        #expect(link.link.nextDeadline == nil)
        link.clock += 1_000
        #expect(link.tick() == [])
        #expect(link.send(.ping, long, on: channel) == [.message(.ping, long, on: channel)])
        #expect(link.answer([0x2D]) == [])
        #expect(link.answer([0]) == [])
        #expect(link.send(.cbor, other, on: channel) == [.perform(other)])
        #expect(link.answer([0]) == [.message(.cbor, [0], on: channel)])
    }

    @Test func `the request after a reset waits for the dropped answer`() {
        var link = HIDTestLink()
        let (one, two) = (link.open(), link.open())
        #expect(link.send(.cbor, request, on: one) == [.perform(request)])
        link.link.setWaitsForPerson(true)
        #expect(link.send(.initialize, HIDTestLink.nonce, on: one) == [.cancel, initialized(one)])
        #expect(link.send(.cbor, other, on: two) == [])
        #expect(link.send(.cbor, other, on: one) == [.error(0x06, on: one)])
        link.link.setWaitsForPerson(true)
        link.clock += 100
        #expect(link.tick() == [.message(.keepalive, [1], on: two)])
        #expect(link.answer([0x2D]) == [.perform(other)])
        link.clock += 100
        #expect(link.tick() == [.message(.keepalive, [1], on: two)])
        #expect(link.answer([0, 1]) == [.message(.cbor, [0, 1], on: two)])
    }

    @Test func `a request that waits can be cancelled or reset before it is performed`() {
        var link = HIDTestLink()
        let channel = link.open()
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
        #expect(link.send(.initialize, HIDTestLink.nonce, on: channel) == [.cancel, initialized(channel)])
        #expect(link.send(.cbor, other, on: channel) == [])
        #expect(link.send(.cancel, on: channel) == [.message(.cbor, [0x2D], on: channel)])
        #expect(link.send(.cbor, other, on: channel) == [])
        #expect(link.send(.initialize, HIDTestLink.nonce, on: channel) == [initialized(channel)])
        #expect(link.link.nextDeadline == nil)
        #expect(link.answer([0]) == [])
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
    }

    // MARK: - Many channels

    @Test func `the channel that was used least recently is forgotten`() {
        var link = HIDTestLink()
        let channels = (0..<64).map { _ in link.open() }
        #expect(link.send(.ping, [1], on: channels[0]) == [.message(.ping, [1], on: channels[0])])
        let next = link.open()
        #expect(link.link.channelCount == 64)
        for channel in [channels[0], channels[2], channels[63], next] {
            #expect(link.send(.ping, [1], on: channel) == [.message(.ping, [1], on: channel)])
        }
        #expect(link.send(.ping, [1], on: channels[1]) == [.error(0x0B, on: channels[1])])
    }

    @Test(arguments: [false, true])
    func `the channel of a transaction is not forgotten`(isWhole: Bool) {
        var link = HIDTestLink()
        let channel = link.open()
        let reports = HIDTestLink.reports(0x10, long, on: channel)
        for report in isWhole ? reports : [reports[0]] { _ = link.receive(report) }
        for _ in 0..<200 { _ = link.open() }
        #expect(link.link.channelCount == 64)
        if !isWhole { #expect(reports.dropFirst().flatMap { link.receive($0) } == [.perform(long)]) }
        #expect(link.answer([0]) == [.message(.cbor, [0], on: channel)])
        #expect(link.send(.ping, [1], on: channel) == [.message(.ping, [1], on: channel)])
    }

    @Test func `a time at the end of the clock crashes nothing`() {
        var link = HIDTestLink()
        link.clock = .max - 10
        let channel = link.open()
        let reports = HIDTestLink.reports(0x10, long, on: channel)
        for report in reports { _ = link.receive(report) }
        #expect(link.link.nextDeadline == .max)
        link.clock = .max
        #expect(link.tick() == [.message(.keepalive, [1], on: channel)])
        #expect(link.answer([0]) == [.message(.cbor, [0], on: channel)])
    }
}
