import CKeychainLinux
import Glibc
import KeychainModel
import KeychainSystem
import PeerIdentity

/// A client's socket, from which nothing is taken that the pinned process has not sent.
///
/// The kernel notes with every chunk which process sent it (SCM_CREDENTIALS); which one connected says nothing about that,
/// since sockets are inherited and passed on.
final class CheckedSocket: PeerStream {
    let socket: Int32
    let process: PinnedProcess
    let uid: UInt32
    private let checks: PeerChecks
    private let program: ProgramWatch

    init(_ socket: Int32, process: PinnedProcess, uid: UInt32, program: ProgramWatch, checks: PeerChecks) {
        self.socket = socket
        self.process = process
        self.uid = uid
        self.program = program
        self.checks = checks
    }

    func receive(
        into buffer: UnsafeMutableRawBufferPointer,
        within deadline: Duration?
    ) throws(KeychainError) -> Int {
        if let deadline { try wait(until: .now + deadline) }
        var chunk = clinux_chunk()
        let count = try unsafe receive(into: buffer, flags: 0, chunk: &chunk)
        if count == 0 { return 0 }
        guard !chunk.truncated || !checks.contains(.laterDescriptors) else {
            throw Self.refusal("a descriptor came where none belongs")
        }
        return count
    }

    /// One chunk, checked but for its descriptors. None are taken: it is `truncated` where some came.
    func receive(
        into buffer: UnsafeMutableRawBufferPointer,
        flags: Int32,
        chunk: inout clinux_chunk
    ) throws(KeychainError) -> Int {
        while true {
            let count = unsafe clinux_receive_without_descriptors(
                socket,
                buffer.baseAddress,
                buffer.count,
                flags,
                true,
                &chunk
            )
            if count == 0 { return 0 }
            if count > 0 {
                try check(chunk)
                return count
            }
            if errno == ECONNRESET { return 0 }
            guard errno == EINTR else { throw KeychainError(errno: errno, "a client cannot be read from") }
        }
    }

    private func check(_ chunk: clinux_chunk) throws(KeychainError) {
        let isSender = chunk.has_credentials && chunk.pid == process.pid && chunk.uid == uid
        guard isSender || !checks.contains(.sender) else {
            throw Self.refusal("another process sent on the caller's connection")
        }
        // After the read: only then is it certain that the pid was still this process's when it sent.
        try confirm()
    }

    /// Waits for bytes, or for the end of the connection.
    func wait(until deadline: ContinuousClock.Instant) throws(KeychainError) {
        let isReady = try KeychainError.translating { try LentDescriptor(socket).wait(for: POLLIN, until: deadline) }
        guard isReady else { throw KeychainError(.notAvailable, "the client has not sent anything in time") }
    }

    func confirm() throws(KeychainError) {
        guard process.isAlive || !checks.contains(.liveness) else { throw Self.refusal("the caller has ended") }
        guard !checks.contains(.sameProgram) || program.isUnchanged(in: process) else {
            throw Self.refusal("the caller has become another program")
        }
    }

    var isWaiting: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return (count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)) && process.isAlive
    }

    /// Whether the client has sent something already, or has gone.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    func send(_ frame: [UInt8]) throws(KeychainError) {
        // The first of a connection fits into its buffer; where it does not, the client has made the buffer so small.
        let sent = unsafe clinux_send(socket, frame, frame.count, nil, 0, Int32(MSG_DONTWAIT))
        guard sent == frame.count else { throw KeychainError(.notAvailable, "the client takes nothing") }
    }

    static func refusal(_ reason: String) -> KeychainError {
        KeychainError(.authenticationFailed, reason)
    }
}
