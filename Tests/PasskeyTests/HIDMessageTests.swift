import PasskeyProtocol
import Testing

/// Messages of several reports.
struct HIDMessageTests {
    private let request: [UInt8] = [0x04]
    private let long = (0..<200).map { UInt8($0) }

    @Test(arguments: [[1], [0, 0], [0, 2], [0, 1, 3], [0, 1, 0], [127]] as [[UInt8]])
    func `a continuation out of sequence ends the message`(sequence: [UInt8]) {
        var link = HIDTestLink()
        let channel = link.open()
        let reports = HIDTestLink.reports(0x10, [UInt8](repeating: 5, count: 400), on: channel)
        #expect(link.receive(reports[0]) == [])
        var events: [HIDTestLink.Event] = []
        for number in sequence {
            #expect(events == [])
            var report = reports[1]
            report[4] = number
            events += link.receive(report)
        }
        #expect(events == [.error(0x04, on: channel)])
        #expect(reports.dropFirst().flatMap { link.receive($0) } == [])
        #expect(link.send(.ping, [1], on: channel) == [.message(.ping, [1], on: channel)])
    }

    @Test func `a continuation without a message is ignored`() {
        var link = HIDTestLink()
        let (one, other) = (link.open(), link.open())
        for channel in [one, other, 0, 99, HIDTestLink.broadcast] {
            #expect(link.receive(HIDTestLink.reports(0x10, long, on: channel)[1]) == [])
        }
        let reports = HIDTestLink.reports(0x10, long, on: one)
        #expect(link.receive(reports[0]) == [])
        #expect(link.receive(HIDTestLink.reports(0x10, long, on: other)[1]) == [])
        #expect(reports.dropFirst().flatMap { link.receive($0) } == [.perform(long)])
        #expect(link.receive(reports[1]) == [])
    }

    @Test(arguments: [HIDTestLink.Command.ping, .cbor, .wink, .message, .lock])
    func `another message in the middle of one ends it`(command: HIDTestLink.Command) {
        var link = HIDTestLink()
        let channel = link.open()
        let reports = HIDTestLink.reports(0x10, long, on: channel)
        #expect(link.receive(reports[0]) == [])
        #expect(link.send(command, [1], on: channel) == [.error(0x04, on: channel)])
        #expect(reports.dropFirst().flatMap { link.receive($0) } == [])
    }

    @Test func `an INIT of a wrong length in the middle of a message ends it`() {
        var link = HIDTestLink()
        let channel = link.open()
        let reports = HIDTestLink.reports(0x10, long, on: channel)
        #expect(link.receive(reports[0]) == [])
        #expect(link.send(.initialize, [1], on: channel) == [.error(0x03, on: channel)])
        #expect(reports.dropFirst().flatMap { link.receive($0) } == [])
    }

    @Test func `a cancel in the middle of a message does nothing`() {
        var link = HIDTestLink()
        let channel = link.open()
        let reports = HIDTestLink.reports(0x10, long, on: channel)
        #expect(link.receive(reports[0]) == [])
        #expect(link.send(.cancel, on: channel) == [])
        #expect(reports.dropFirst().flatMap { link.receive($0) } == [.perform(long)])
    }

    @Test func `a message ends if its next report takes too long`() {
        var link = HIDTestLink()
        let channel = link.open()
        let reports = HIDTestLink.reports(0x10, long, on: channel)
        #expect(link.receive(reports[0]) == [])
        link.clock += 499
        #expect(link.tick() == [])
        #expect(link.receive(reports[1]) == [])
        #expect(link.link.nextDeadline == link.clock + 500)
        link.clock += 500
        #expect(link.tick() == [.error(0x05, on: channel)])
        #expect(link.link.nextDeadline == nil)
        #expect(link.tick() == [])
        #expect(link.receive(reports[2]) == [])
    }

    @Test func `a message whose time is over keeps nobody out, even before the tick`() {
        var link = HIDTestLink()
        let (one, other) = (link.open(), link.open())
        #expect(link.receive(HIDTestLink.reports(0x10, long, on: one)[0]) == [])
        link.clock += 500
        #expect(link.send(.cbor, request, on: other) == [.error(0x05, on: one), .perform(request)])
    }
}
