import Glibc
import KeychainModel
import KeychainSystem

/// Sends frames to a client, for as long as it reads.
struct SocketWriter: Sendable {
    let socket: Int32

    /// - Throws: `notAvailable` when the client is gone or has not read in time. The connection is over then: whatever
    ///   followed a part of a frame would be taken for the rest of it.
    func send(_ frame: [UInt8], before deadline: ContinuousClock.Instant) throws(KeychainError) {
        do throws(KeychainError) {
            try sendAll(of: frame, before: deadline)
        } catch {
            shutdown(socket, Int32(SHUT_RDWR))
            throw error
        }
    }

    private func sendAll(of frame: [UInt8], before deadline: ContinuousClock.Instant) throws(KeychainError) {
        var sent = 0
        while sent < frame.count {
            let count = unsafe frame.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    socket,
                    bytes.baseAddress.map { unsafe $0 + sent },
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                )
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                try waitForRoom(before: deadline)
            } else if errno != EINTR {
                throw KeychainError(.notAvailable, "the client is gone")
            }
        }
    }

    /// Sends a frame if there is room for all of it, without waiting; it is what a connection ends with.
    func sendLast(_ frame: [UInt8]) {
        try? send(frame, before: .now)
    }

    private func waitForRoom(before deadline: ContinuousClock.Instant) throws(KeychainError) {
        let hasRoom = try KeychainError.translating { try LentDescriptor(socket).wait(for: POLLOUT, until: deadline) }
        guard hasRoom else { throw KeychainError(.notAvailable, "the client does not read") }
    }
}
