import CKeychainLinux
import Dispatch
import Glibc
import KeychainModel
import Synchronization

/// The connections of this process to one service: each is lent to one thread at a time.
final class ChannelPool: Sendable {
    /// As many exchanges are under way at once; others wait. The service limits the connections of a user.
    static let mostChannels = 8

    private let address: ServiceAddress
    private let deadlines: Deadlines
    private let name: (@Sendable () -> String)?
    private let idle = Mutex<[Channel]>([])
    private let vacancies = DispatchSemaphore(value: mostChannels)
    /// Whether the service answered when it was last asked: then it is worth waiting for one that is away.
    private let hasAnswered = Mutex(false)

    init(address: ServiceAddress, deadlines: Deadlines, name: (@Sendable () -> String)?) {
        self.name = name
        self.address = address
        self.deadlines = deadlines
    }

    /// Lends a connection that was usable a moment ago, or a new one.
    ///
    /// The connection is kept if the body says so, that is, if nothing is left on it.
    ///
    /// - Throws: `notAvailable`, or the service's refusal of the connection; what the body throws.
    func withChannel<Value>(
        _ body: (Channel) throws(Channel.Failure) -> Value
    ) throws(Channel.Failure) -> Value {
        guard vacancies.wait(timeout: .now() + deadlines.request.dispatchInterval) == .success else {
            throw .refused(KeychainError(.notAvailable, "too many calls wait for the keychain service"))
        }
        defer { vacancies.signal() }
        let channel = try take()
        // What fails is not given back: parts of the answer may still be on their way.
        let value = try body(channel)
        idle.withLock { $0.append(channel) }
        return value
    }

    /// A connection that is the caller's alone.
    func newChannel() throws(KeychainError) -> Channel {
        try Channel(to: address, as: name?(), within: deadlines.handshake)
    }

    func closeAll() {
        idle.withLock { $0 = [] }
    }

    private func take() throws(Channel.Failure) -> Channel {
        while let channel = idle.withLock({ $0.popLast() }) {
            if channel.isUsable { return channel }
        }
        let patience = Deadline(deadlines.restart)
        while true {
            do throws(KeychainError) {
                let channel = try Channel(to: address, as: name?(), within: deadlines.handshake)
                hasAnswered.withLock { $0 = true }
                return channel
            } catch {
                let isWorthWaiting = error.code == .notAvailable && hasAnswered.withLock { $0 } && !patience.hasPassed
                guard isWorthWaiting else {
                    hasAnswered.withLock { $0 = false }
                    throw .refused(error)
                }
                usleep(20_000)
            }
        }
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        .milliseconds(Int(clamping: components.seconds.multipliedReportingOverflow(by: 1000).partialValue))
    }
}
