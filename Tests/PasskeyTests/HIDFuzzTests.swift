import PasskeyProtocol
import Testing

/// Reports that no client in its right mind sends.
struct HIDFuzzTests {
    @Test(arguments: [1, 2] as [UInt64])
    func `random reports, answers and times break no rule`(seed: UInt64) {
        var fuzzer = Fuzzer(seed: seed)
        for _ in 0..<100_000 { fuzzer.step() }
        #expect(fuzzer.faults == [])
        #expect(fuzzer.performed > 500)
        #expect(fuzzer.answered > 500)
    }

    private struct Fuzzer {
        var random: HIDRandom
        var test = HIDTestLink()
        /// Channels that were given, or that a report named.
        var channels: Set<UInt32> = [HIDTestLink.broadcast]
        var recent: [UInt32] = [HIDTestLink.broadcast]
        /// Channels that began a request since their last INIT.
        var asking: Set<UInt32> = []
        var sequence: UInt8 = 0
        var isPerforming = false
        var performed = 0
        var answered = 0
        var faults: [String] = []

        init(seed: UInt64) { random = HIDRandom(seed: seed) }

        mutating func step() {
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                test.clock += UInt64.random(in: 0...300, using: &random)
                check(test.link.tick(at: test.clock))
            case 1, 2:
                let count = [0, 1, 1, 1, 100, 100, 100, 1_000, 7_609, 8_000].randomElement(using: &random) ?? 0
                isPerforming = false
                let actions = test.link.answer([UInt8](repeating: 1, count: count), at: test.clock)
                if actions.contains(where: { if case .send = $0 { true } else { false } }) { answered += 1 }
                check(actions)
            case 3: test.link.setWaitsForPerson(Bool.random(using: &random))
            default: check(test.link.receive(report(), at: test.clock))
            }
        }

        private mutating func report() -> [UInt8] {
            let byte = UInt8.random(in: 0...255, using: &random)
            var report = [UInt8](repeating: byte, count: 64)
            guard Int.random(in: 0..<50, using: &random) > 0 else {
                let isShort = Bool.random(using: &random)
                return isShort ? Array(report.prefix(Int.random(in: 0...63, using: &random))) : report + [0]
            }
            var channel = recent.suffix(3).randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<40, using: &random) {
            case 0: channel = HIDTestLink.broadcast
            case 1: channel = recent.randomElement(using: &random) ?? 0
            case 2: channel = UInt32.random(in: 0...200, using: &random)
            default: break
            }
            channels.insert(channel)
            report.replaceSubrange(0..<4, with: HIDTestLink.bytes(of: channel))
            if Bool.random(using: &random) {
                report[4] = Int.random(in: 0..<10, using: &random) == 0 ? report[4] & 0x7F : sequence
                sequence &+= 1
            } else {
                let commands: [UInt8] = [0x81, 0x86, 0x88, 0x90, 0x90, 0x91, 0x83, 0xBB]
                report[4] = commands.randomElement(using: &random) ?? 0
                let lengths = [0, 1, 8, 57, 58, 100, 300, 7_609, 7_610, 65_535]
                let isNonce = report[4] == 0x86 && Int.random(in: 0..<5, using: &random) > 0
                let length = isNonce ? 8 : lengths.randomElement(using: &random) ?? 0
                report[5] = UInt8(length >> 8)
                report[6] = UInt8(length & 0xFF)
                sequence = 0
                if report[4] == 0x90 { asking.insert(channel) }
                if report[4] == 0x86, length == 8 { asking.remove(channel) }
            }
            return report
        }

        private mutating func check(_ actions: [HIDAction]) {
            for action in actions {
                switch action {
                case .send(let report):
                    let channel = report.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
                    if report.count != 64 { faults.append("a report has \(report.count) bytes") }
                    if !channels.contains(channel) { faults.append("nobody knows channel \(channel)") }
                    if report.count == 64, [0x90, 0xBB].contains(report[4]), !asking.contains(channel) {
                        faults.append("channel \(channel) was reset, or never asked")
                    }
                    if channel == HIDTestLink.broadcast, report.count == 64, report[4] == 0x86 {
                        let new = report.dropFirst(15).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
                        channels.insert(new)
                        recent.append(new)
                    }
                case .perform(let request):
                    if isPerforming { faults.append("two requests are performed") }
                    if !(1...HIDLink.largestMessage).contains(request.count) { faults.append("a request has no size") }
                    isPerforming = true
                    performed += 1
                case .cancel:
                    if !isPerforming { faults.append("nothing is there to cancel") }
                case .wink: break
                }
            }
            if test.link.channelCount > 64 { faults.append("there are \(test.link.channelCount) channels") }
            if let deadline = test.link.nextDeadline, deadline > test.clock + 500 {
                faults.append("a time is too late")
            }
        }
    }
}
