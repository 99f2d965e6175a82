import PasskeyProtocol
import Testing

/// Commands and errors of CTAPHID.
struct HIDLinkTests {
    private let request: [UInt8] = [0x04]
    private let long = (0..<200).map { UInt8($0) }

    @Test func `a new channel comes with the nonce, the version and what the device can do`() {
        var link = HIDTestLink(offering: [0x0102_0304])
        let message = HIDTestLink.nonce + [1, 2, 3, 4] + [2, 1, 0, 0] + [0x0D]
        let events = link.send(.initialize, HIDTestLink.nonce, on: HIDTestLink.broadcast)
        #expect(events == [.message(.initialize, message, on: HIDTestLink.broadcast)])
    }

    @Test func `a number that is reserved or taken is not given to a channel`() {
        var link = HIDTestLink(offering: [7, 7, 0, 0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFE])
        #expect((0..<6).map { _ in link.open() } == [7, 8, 1, 2, 0xFFFF_FFFE, 3])
    }

    @Test(arguments: [0, 1, 57, 58, 116, 117, 1_000, 7_608, 7_609])
    func `a ping of any length is echoed`(count: Int) {
        var link = HIDTestLink()
        let channel = link.open()
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(link.send(.ping, message, on: channel) == [.message(.ping, message, on: channel)])
        #expect(link.link.nextDeadline == nil)
    }

    @Test func `a request is performed once it is whole, and answered on its channel`() {
        var link = HIDTestLink()
        let channel = link.open()
        #expect(link.send(.cbor, long, on: channel) == [.perform(long)])
        #expect(link.answer([0] + long) == [.message(.cbor, [0] + long, on: channel)])
        #expect(link.answer([0]) == [])
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
    }

    @Test(arguments: [0, 7_610, 100_000])
    func `an answer that no message can carry becomes another error`(count: Int) {
        var link = HIDTestLink()
        let channel = link.open()
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
        #expect(link.answer([UInt8](repeating: 0, count: count)) == [.message(.cbor, [0x7F], on: channel)])
    }

    @Test func `the largest answer is sent`() {
        var link = HIDTestLink()
        let channel = link.open()
        let answer = [UInt8](repeating: 9, count: HIDLink.largestMessage)
        #expect(link.send(.cbor, request, on: channel) == [.perform(request)])
        #expect(link.answer(answer) == [.message(.cbor, answer, on: channel)])
        #expect(HIDLink.largestMessage == 7_609)
    }

    @Test func `a wink is shown and confirmed`() {
        var link = HIDTestLink()
        let channel = link.open()
        #expect(link.send(.wink, on: channel) == [.wink, .message(.wink, [], on: channel)])
        #expect(link.send(.wink, [1], on: channel) == [.error(0x03, on: channel)])
    }

    @Test func `a request without a command byte has an invalid length`() {
        var link = HIDTestLink()
        let channel = link.open()
        #expect(link.send(.cbor, on: channel) == [.error(0x03, on: channel)])
    }

    @Test(arguments: [0x00, 0x02, 0x03, 0x04, 0x05, 0x3A, 0x3B, 0x3C, 0x3F, 0x40, 0x7F] as [UInt8])
    func `a command that is not known is invalid, at its first report`(command: UInt8) {
        var link = HIDTestLink()
        let channel = link.open()
        let reports = HIDTestLink.reports(command, long, on: channel)
        #expect(reports.flatMap { link.receive($0) } == [.error(0x01, on: channel)])
    }

    @Test(arguments: [HIDTestLink.Command.ping, .cbor])
    func `a message that is too long has an invalid length`(command: HIDTestLink.Command) {
        for length in [7_610, 0xFFFF] {
            var link = HIDTestLink()
            let channel = link.open()
            let message = [UInt8](repeating: 0, count: length)
            let report = HIDTestLink.reports(command.rawValue, message.prefix(57) + [], on: channel)[0]
            var long = report
            long[5] = UInt8(length >> 8)
            long[6] = UInt8(length & 0xFF)
            #expect(link.receive(long) == [.error(0x03, on: channel)])
            #expect(link.link.nextDeadline == nil)
        }
    }

    @Test(arguments: [0, 7, 9, 64])
    func `an INIT without a nonce of eight bytes has an invalid length`(count: Int) {
        var link = HIDTestLink()
        let channel = link.open()
        let nonce = [UInt8](repeating: 1, count: count)
        for channel in [channel, HIDTestLink.broadcast] {
            #expect(link.send(.initialize, nonce, on: channel) == [.error(0x03, on: channel)])
        }
        #expect(link.link.channelCount == 1)
    }

    @Test(arguments: [HIDTestLink.Command.ping, .message, .lock, .initialize, .wink, .cbor, .error])
    func `a channel that was not given is invalid`(command: HIDTestLink.Command) {
        var link = HIDTestLink(offering: [7])
        _ = link.open()
        for channel: UInt32 in [0, 8] {
            #expect(link.send(command, HIDTestLink.nonce, on: channel) == [.error(0x0B, on: channel)])
        }
    }

    @Test(arguments: [HIDTestLink.Command.ping, .message, .wink, .cbor])
    func `the broadcast channel only takes INIT`(command: HIDTestLink.Command) {
        var link = HIDTestLink()
        let channel = HIDTestLink.broadcast
        #expect(link.send(command, request, on: channel) == [.error(0x0B, on: channel)])
    }

    @Test(arguments: [0, 1, 63, 65, 128])
    func `a report of another size is ignored`(count: Int) {
        var link = HIDTestLink()
        let report = HIDTestLink.reports(0x06, HIDTestLink.nonce, on: HIDTestLink.broadcast)[0]
        #expect(link.receive(Array((report + report).prefix(count))) == [])
        #expect(link.link.channelCount == 0)
    }
}
