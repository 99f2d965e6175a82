import CKeychainLinux
package import KeychainModel
import KeychainProtocol
import Synchronization

/// A context at the service: a connection of its own. What was proved on it is forgotten when it ends, and no other
/// process can name it.
package final class ServiceContext: PresenceContext, ClosedBeforeForks {
    private struct State {
        var channel: Channel?
        var isInvalidated = false
    }

    private let service: ServiceConnection
    /// One request after the other.
    private let mutex = Mutex(())
    private let state = Mutex(State())

    init(_ service: ServiceConnection) {
        self.service = service
        ForkGuard.register(self)
    }

    package func evaluate(_ request: PresenceRequest) throws(KeychainError) {
        var request = request
        request.prompt.terminal = PromptTerminal.ofThisProcess
        let parts = try service.parts(.evaluate(request), context: self)
        guard case .outcome(let outcome) = parts.last else { throw ServiceConnection.unexpected }
        try outcome.requireDone()
    }

    package func invalidate() {
        let channel = state.withLock { state in
            state.isInvalidated = true
            defer { state.channel = nil }
            return state.channel
        }
        channel?.shutDown()
    }

    /// A child of a fork has not proved anything, and must not hold its parent's connection open.
    package func closeBeforeFork() {
        state.withLock { $0.channel = nil }
    }

    func exchange(_ request: Request, by deadline: Deadline) throws(Channel.Failure) -> [Response.Body] {
        try mutex.withLock { _ in
            Result { () throws(Channel.Failure) in
                let channel = try channel()
                do throws(Channel.Failure) {
                    let parts = try channel.exchange(request, by: deadline)
                    return parts
                } catch {
                    // Parts of the answer may still be on their way.
                    state.withLock { if $0.channel === channel { $0.channel = nil } }
                    if isInvalidated { throw .refused(PresenceFailure.interrupted.error) }
                    throw error
                }
            }
        }.get()
    }

    private var isInvalidated: Bool { state.withLock(\.isInvalidated) }

    /// The connection, or a new one where the old has ended: then nothing is proved any more.
    private func channel() throws(Channel.Failure) -> Channel {
        let known = state.withLock { $0 }
        guard !known.isInvalidated else { throw .refused(PresenceFailure.interrupted.error) }
        if let channel = known.channel, channel.isUsable { return channel }
        let new: Channel
        do throws(KeychainError) {
            new = try service.pool.newChannel()
        } catch {
            throw .refused(error)
        }
        state.withLock { if !$0.isInvalidated { $0.channel = new } }
        return new
    }
}

extension ServiceConnection: PresenceKeychain {
    package func makeContext() throws(KeychainError) -> any PresenceContext { ServiceContext(self) }

    package func takesCallerForUnsigned() throws(KeychainError) -> Bool { try identity().kind == .unsigned }

    package func ownGroup() throws(KeychainError) -> String {
        let identity = try identity()
        guard let group = Caller.ownGroup(identity.ownGroup, among: identity.groups) else { throw Self.noOwnGroup }
        return group
    }

    package func seesAllGroups() throws(KeychainError) -> Bool { AccessGroups(try identity().groups).areAll }

    package func presenceStatus() throws(KeychainError) -> PresenceStatus {
        switch try parts(.presence).last {
        case .presence(let status): return status
        case .outcome(.failure(let error)): throw error
        default: throw Self.unexpected
        }
    }
}
