import KeychainSystem
import PasskeyProtocol
import Synchronization

/// Performs the requests of one device, one after the other, on a thread of its own: a person may be asked meanwhile.
final class DeviceWorker: Sendable {
    private struct State {
        /// With the client's channel.
        var request: (message: [UInt8], channel: UInt32)?
        var answer: [UInt8]?
        var isAsking = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let work: WakeUp
    /// Signalled when `takeNews` has something new.
    let news: WakeUp

    init() throws(SystemError) {
        work = try WakeUp()
        news = try WakeUp()
    }

    /// How often it is looked whether the owner's consent has lain unused.
    private static let pause = Duration.seconds(1)

    /// - Parameter kind: of new passkeys.
    /// - Returns: the questions, which can be taken back.
    func start(kind: Passkey.Kind?) throws(SystemError) -> OwnerQuestions {
        let questions = OwnerQuestions { [weak self] isAsking in
            self?.state.withLock { $0.isAsking = isAsking }
            self?.news.signal()
        }
        let keychain = KeychainPasskeys(questions: questions, newKind: kind)
        try DetachedThread.start { [self] in
            var authenticator = Authenticator(keychain) { Clock.now }
            while true {
                _ = work.wait(within: authenticator.hasUnused ? Self.pause : nil)
                let (request, hasEnded) = state.withLock { state in
                    defer { state.request = nil }
                    return (state.request, state.hasEnded)
                }
                if hasEnded { return }
                guard let request else {
                    authenticator.forgetUnused()
                    continue
                }
                let answer = authenticator.answer(request.message, on: request.channel)
                state.withLock { $0.answer = answer }
                news.signal()
            }
        }
        return questions
    }

    func perform(_ message: [UInt8], on channel: UInt32) {
        state.withLock { $0.request = (message, channel) }
        work.signal()
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        work.signal()
    }

    /// - Returns: the answer to the request, if there is one now, and whether the owner is being asked.
    func takeNews() -> (answer: [UInt8]?, isAsking: Bool) {
        news.clear()
        return state.withLock { state in
            defer { state.answer = nil }
            return (state.answer, state.isAsking)
        }
    }
}
