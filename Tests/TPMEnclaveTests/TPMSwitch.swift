import CKeychainLinux
import Foundation
import Glibc
import Synchronization

/// Lets many programs use one TPM, command by command, as the kernel's resource manager does, and takes away what they
/// leave in it. What passes can be read, held up and cut off.
final class TPMSwitch: Sendable {
    private let listener: Int32
    private let path: String
    private let upstream: Mutex<Int32>
    private let state = Mutex(State())

    private struct State {
        var traffic: [UInt8] = []
        var count = 0
        var fault: (@Sendable (Int, UInt32) -> Fault?)?
        var clients: Set<Int32> = []
        var isStopped = false
    }

    enum Fault: Sendable {
        /// The command is swallowed.
        case swallow
        /// The answer is swallowed.
        case silence
        /// The connection is closed before the TPM sees the command.
        case hangUp
        /// The same after it.
        case hangUpAfter
        /// The answer comes once it is released.
        case hold(Held)
        /// This is the answer.
        case answer(UInt32)
        /// The answer becomes another on its way.
        case change(@Sendable ([UInt8]) -> [UInt8])
        /// The command does.
        case changeCommand(@Sendable ([UInt8]) -> [UInt8])
    }

    struct Refusal: Error, CustomStringConvertible {
        let code: UInt32
        var description: String { "the TPM answers 0x" + String(code, radix: 16) }
    }

    init(at path: String, leadingTo emulator: String) throws {
        self.path = path
        upstream = Mutex(try Self.connection(to: emulator))
        listener = clinux_stream_socket()
        guard clinux_bind_path(listener, path) == 0, listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [listener, weak self] in
            while true {
                let client = clinux_accept(listener)
                guard client >= 0, let self else { return }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    private static func connection(to emulator: String) throws -> Int32 {
        let upstream = clinux_stream_socket()
        // The emulator binds its socket a moment before it listens.
        var tries = 0
        while clinux_connect_path(upstream, emulator) != 0 {
            tries += 1
            guard tries < 2000 else { throw POSIXError(.ECONNREFUSED) }
            usleep(5000)
        }
        return upstream
    }

    /// Leads to an emulator that was started anew.
    func lead(to emulator: String) throws {
        let started = try Self.connection(to: emulator)
        upstream.withLock { upstream in
            if upstream >= 0 { close(upstream) }
            upstream = started
        }
    }

    func stop() {
        unlink(path)
        shutdown(listener, Int32(SHUT_RDWR))
        hangUp()
        upstream.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    /// Closes all connections, as a TPM does that goes away.
    func hangUp() {
        for client in state.withLock({ $0.clients }) { shutdown(client, Int32(SHUT_RDWR)) }
    }

    /// What has passed, both ways.
    var traffic: [UInt8] { state.withLock { $0.traffic } }
    /// How many commands have passed.
    var count: Int { state.withLock { $0.count } }

    /// What happens to commands from now on, which are counted from 0.
    func interfere(_ fault: (@Sendable (Int, UInt32) -> Fault?)?) {
        state.withLock {
            $0.count = 0
            $0.fault = fault
        }
    }

    /// Holds the answer to one command up until it is released.
    func interfere(holdingUp held: Int) -> Held {
        let hold = Held()
        interfere { count, _ in count == held ? .hold(hold) : nil }
        return hold
    }

    final class Held: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        func release() { gate.signal() }
        fileprivate func wait() { gate.wait() }
    }

    // MARK: - Commands of a test's own

    /// A command with a password for each of its handles but the last of two, whose parameters go in clear.
    @discardableResult
    func command(
        _ code: UInt32,
        handles: [UInt32],
        authorization: [UInt8] = [],
        parameters: [UInt8] = []
    ) throws -> [UInt8] {
        // TPM_RS_PW, no nonce, no attributes, the password.
        let session = UInt32(0x4000_0009).bytes + [0, 0, 0] + UInt16(authorization.count).bytes + authorization
        let body = code.bytes + handles.flatMap(\.bytes) + UInt32(session.count).bytes + session + parameters
        let answer = exchange(UInt16(0x8002).bytes + UInt32(body.count + 6).bytes + body)
        guard let answer else { throw POSIXError(.EPIPE) }
        let outcome = Self.number(answer, 6)
        guard outcome == 0 else { throw Refusal(code: outcome) }
        return answer
    }

    /// A command without an authorisation.
    @discardableResult
    func plainCommand(_ code: UInt32, _ body: [UInt8]) throws -> [UInt8] {
        let answer = exchange(UInt16(0x8001).bytes + UInt32(body.count + 10).bytes + code.bytes + body)
        guard let answer else { throw POSIXError(.EPIPE) }
        let outcome = Self.number(answer, 6)
        guard outcome == 0 else { throw Refusal(code: outcome) }
        return answer
    }

    // MARK: - Passing on

    private func serve(_ client: Int32) {
        state.withLock { _ = $0.clients.insert(client) }
        var handles: Set<UInt32> = []
        while let command = Self.message(client) {
            let code = Self.number(command, 6)
            let fault = state.withLock { state in
                defer { state.count += 1 }
                return state.fault?(state.count, code)
            }
            if case .hangUp = fault { break }
            if case .swallow = fault { continue }
            if case .answer(let code) = fault {
                Self.send(UInt16(0x8001).bytes + UInt32(10).bytes + code.bytes, client)
                continue
            }
            var passed = command
            if case .changeCommand(let change) = fault { passed = change(command) }
            guard let answer = exchange(passed) else { break }
            // What made an object or a session, and what takes it away.
            if Self.number(answer, 6) == 0 {
                if [0x131, 0x157, 0x176].contains(code) { handles.insert(Self.number(answer, 10)) }
                if code == 0x165 { handles.remove(Self.number(command, 10)) }
            }
            if case .hangUpAfter = fault { break }
            if case .silence = fault { continue }
            if case .hold(let held) = fault { held.wait() }
            if case .change(let change) = fault {
                Self.send(change(answer), client)
            } else {
                Self.send(answer, client)
            }
        }
        state.withLock { _ = $0.clients.remove(client) }
        close(client)
        for handle in handles {
            let body = UInt32(0x165).bytes + handle.bytes
            _ = exchange(UInt16(0x8001).bytes + UInt32(body.count + 6).bytes + body)
        }
    }

    private func exchange(_ command: [UInt8]) -> [UInt8]? {
        upstream.withLock { upstream in
            guard upstream >= 0, Self.send(command, upstream), let answer = Self.message(upstream) else { return nil }
            state.withLock { $0.traffic += command + answer }
            return answer
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func message(_ socket: Int32) -> [UInt8]? {
        guard let header = bytes(10, socket) else { return nil }
        let size = Int(number(header, 2))
        guard size >= 10, size <= 4096, let rest = bytes(size - 10, socket) else { return nil }
        return header + rest
    }

    private static func bytes(_ count: Int, _ socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let step = bytes.withUnsafeMutableBytes { buffer in
                recv(socket, buffer.baseAddress.map { $0 + got }, count - got, 0)
            }
            guard step > 0 else { return nil }
            got += step
        }
        return bytes
    }

    @discardableResult
    private static func send(_ bytes: [UInt8], _ socket: Int32) -> Bool {
        Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
