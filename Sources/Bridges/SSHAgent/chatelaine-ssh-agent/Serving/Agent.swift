import CKeychainLinux
import KeychainClient
import KeychainModel
import KeychainSystem
import SSHAgentProtocol
import Synchronization

/// The agent: the rules, the keychain, and how many people are asked at once.
final class Agent: Sendable {
    private let state = Mutex(AgentState())
    private let waiting = Mutex(0)
    private let budget = Mutex(PromptBudget())
    /// Called when a key has come that has an end.
    private let keysChanged: @Sendable () -> Void

    /// How many requests may wait for the owner.
    private static let mostWaiting = 16

    init(keysChanged: @escaping @Sendable () -> Void) {
        self.keysChanged = keysChanged
    }

    /// What one connection's frame is answered with, after a delay in milliseconds.
    ///
    /// - Parameter client: taken back is what the owner is asked, when it goes away.
    func answer(_ frame: [UInt8], on connection: inout AgentConnection, for client: Int32) -> (AgentReply, UInt64) {
        let request: AgentRequest
        do throws(SSHFormatError) {
            request = try AgentRequest(frame)
        } catch {
            if AgentRequest.adds(frame) { AgentTool.complain("a key was not added: \(error.description)") }
            return (.failure, 0)
        }
        let kept = request.asksForStoredKeys ? keptKeys(for: request) : []
        switch action(for: request, on: &connection, kept) {
        case .reply(let reply, let delay):
            if case .add = request { keysChanged() }
            return (reply, delay)
        case .sign(let order):
            do {
                return (.signature(try sign(order, kept, request, on: connection, for: client)), 0)
            } catch {
                report(error)
                return (.failure, 0)
            }
        }
    }

    private func action(
        for request: AgentRequest,
        on connection: inout AgentConnection,
        _ kept: [KeptKey]
    ) -> AgentAction {
        state.withLock {
            $0.action(for: request, on: &connection, stored: kept.map(\.stored), now: .now)
        }
    }

    /// Forgets keys whose time is over.
    ///
    /// - Returns: how many milliseconds are left until the next; nil where none has an end.
    func forgetEndedKeys() -> UInt64? {
        let now = AgentTime.now
        return state.withLock { state in
            state.forgetEnded(now)
            return state.nextEnd.map { $0 > now.monotonic ? $0 - now.monotonic : 0 }
        }
    }

    /// Forgets all keys in memory, also while the agent is locked.
    func forgetAllKeys() { state.withLock { $0.forgetAll() } }

    /// Those of a keychain that is locked or away are not listed; those in memory still are.
    private func keptKeys(for request: AgentRequest) -> [KeptKey] {
        do throws(KeychainError) {
            let (found, isLocked) = try AgentKeychain.usableKeys(request.signingKey)
            if isLocked { AgentTool.complain(AgentKeychain.lockedAdvice) }
            return found.all
        } catch {
            // A keychain that is not there yet has no keys.
            if error.code != .itemNotFound { AgentTool.complain(error.message) }
            return []
        }
    }

    // MARK: - Signing

    private func sign(
        _ order: SigningOrder,
        _ kept: [KeptKey],
        _ request: AgentRequest,
        on connection: AgentConnection,
        for client: Int32
    ) throws -> [UInt8] {
        switch order.key {
        case .memory(let key, _, let needsConfirmation):
            guard needsConfirmation else { return try key.signature(of: order.data, flags: order.flags) }
            try takePrompt(for: client)
            try ask(order, client) { signer in try confirm(with: signer, for: client) }
            // Meanwhile the agent may have been locked, or the key may have ended.
            var connection = connection
            guard case .sign = action(for: request, on: &connection, kept) else {
                throw KeychainError(.itemNotFound, "the key is not there any more")
            }
            return try key.signature(of: order.data, flags: order.flags)
        case .stored(let stored):
            guard let key = kept.first(where: { $0.stored == stored }) else {
                throw KeychainError(.itemNotFound, "the key is not in the keychain any more")
            }
            guard stored.asksOwner else { return try KeySigner.silent.sign(order.data, flags: order.flags, with: key) }
            try takePrompt(for: client)
            return try ask(order, client) { signer in
                try signer.sign(order.data, flags: order.flags, with: key)
            }
        }
    }

    /// Asks the owner by the keychain, or, where it has no passcode to ask for, by the program that OpenSSH's agent asks by.
    private func confirm(with signer: KeySigner, for client: Int32) throws {
        do throws(KeychainError) {
            try signer.confirm()
        } catch {
            guard case .failed(.noPasscode) = error.presence, let program = ConfirmationProgram() else { throw error }
            try ClientWatch.watching(client, whenGone: { program.cancel() }) { try program.ask(signer.reason) }
        }
    }

    /// Counts a prompt for the process at the other end.
    ///
    /// - Throws: where it has asked too often.
    private func takePrompt(for client: Int32) throws(KeychainError) {
        let process = LentDescriptor(client).peer?.pid ?? 0
        do throws(PromptBudget.Refusal) {
            try budget.withLock { budget throws(PromptBudget.Refusal) in
                try budget.take(for: "process \(process)", at: .now)
            }
        } catch {
            if error.isFirst {
                AgentTool.complain("the owner is not asked for process \(process): it has asked too often")
            }
            throw error.error
        }
    }

    /// Does what may need the owner, with a place among those that wait.
    private func ask<Value>(
        _ order: SigningOrder,
        _ client: Int32,
        _ body: (KeySigner) throws -> Value
    ) throws -> Value {
        let hasPlace = waiting.withLock { waiting in
            guard waiting < Self.mostWaiting else { return false }
            waiting += 1
            return true
        }
        guard hasPlace else { throw PresenceFailure.tooMany.error }
        defer { waiting.withLock { $0 -= 1 } }
        let hosts = KnownHostsFile.read()
        let signer = try KeySigner(reason: order.reason { hosts.name(of: $0) })
        defer { signer.context?.invalidate() }
        return try ClientWatch.watching(client, whenGone: { signer.context?.invalidate() }) { try body(signer) }
    }

    private func report(_ error: any Error) {
        switch error {
        case let error as KeychainError: AgentTool.complain(error.message)
        case let error as SSHFormatError: AgentTool.complain(error.description)
        default: AgentTool.complain("a signature could not be made")
        }
    }
}
