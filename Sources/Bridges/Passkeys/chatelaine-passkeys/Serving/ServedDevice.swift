import Glibc
import KeychainSystem
import PasskeyProtocol

/// A device at the other end of a socket of packets, each of them one report.
struct ServedDevice {
    let socket: PacketSocket
    let kind: Passkey.Kind?

    /// Answers until the other end is closed, or does not read.
    func serve() {
        do throws(SystemError) {
            try answer()
        } catch {
            PasskeysTool.complain(error.description)
        }
    }

    private func answer() throws(SystemError) {
        let worker = try DeviceWorker()
        let questions = try worker.start(kind: kind)
        defer {
            questions.cancel()
            worker.end()
        }
        var link = HIDLink { UInt32.random(in: .min ... .max) }
        // One byte more, so that a longer packet is not taken for a report.
        var report = [UInt8](repeating: 0, count: HIDLink.reportSize + 1)
        while true {
            let ready = try Waiting.wait(
                for: (socket.number, POLLIN),
                (worker.news.number, POLLIN),
                until: link.nextDeadline.map(Clock.instant)
            )
            var actions: [HIDAction] = []
            if ready[1] {
                let (answer, isAsking) = worker.takeNews()
                link.setWaitsForPerson(isAsking)
                if let answer { actions += link.answer(answer, at: Clock.now) }
            }
            if ready[0] {
                let (outcome, count, _) = socket.receive(into: &report, waits: false)
                switch outcome {
                case .done: actions += link.receive(Array(report.prefix(count)), at: Clock.now)
                case .late: break
                case .gone: return
                }
            }
            actions += link.tick(at: Clock.now)
            for action in actions {
                switch action {
                case .send(let report): guard socket.send(report) == .done else { return }
                case .perform(let request):
                    questions.begin()
                    worker.perform(request, on: link.performedChannel ?? 0)
                case .cancel: questions.cancel()
                // There is no light to blink, and a log is no place for what anybody may send without end.
                case .wink: break
                }
            }
        }
    }
}
