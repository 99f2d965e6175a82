import Glibc
import KeychainSystem
import SSHAgentProtocol

/// One connection, on a thread of its own.
struct ServedConnection {
    let descriptor: Int32
    let key: UInt64
    let table: AgentConnections
    let agent: Agent

    /// How long a frame may take from its first byte on, and an answer until the client has read it.
    private static let patience = Duration.seconds(10)
    private static let chunk = 16 << 10

    /// Answers until the client leaves, breaks the protocol or is too slow.
    func serve() {
        defer { table.close(key) }
        var connection = AgentConnection()
        while let frame = nextFrame() {
            table.setIdle(false, key)
            let (reply, delay) = agent.answer(frame, on: &connection, for: descriptor)
            if delay > 0 { usleep(UInt32(clamping: min(delay, 10_000) * 1_000)) }
            guard send(reply.frame) else { return }
            table.setIdle(true, key)
        }
    }

    private func nextFrame() -> [UInt8]? {
        var reader = FrameReader()
        var end: ContinuousClock.Instant?
        while true {
            guard isReady(POLLIN, until: end) else { return nil }
            var bytes = [UInt8](repeating: 0, count: min(reader.wanted, Self.chunk))
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            }
            if count < 0 {
                guard errno == EAGAIN || errno == EINTR else { return nil }
                continue
            }
            guard count > 0 else { return nil }
            if end == nil {
                end = ContinuousClock.now + Self.patience
                table.setIdle(false, key)
            }
            do throws(SSHFormatError) {
                if let frame = try reader.receive(bytes.prefix(count)) { return frame }
            } catch {
                return nil
            }
        }
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        let end = ContinuousClock.now + Self.patience
        var sent = 0
        while sent < bytes.count {
            guard isReady(POLLOUT, until: end) else { return false }
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + sent },
                    buffer.count - sent,
                    Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                )
            }
            if count < 0 {
                guard errno == EAGAIN || errno == EINTR else { return false }
                continue
            }
            sent += count
        }
        return true
    }

    /// - Parameter end: nil for as long as it takes.
    private func isReady(_ events: Int32, until end: ContinuousClock.Instant?) -> Bool {
        (try? LentDescriptor(descriptor).wait(for: events, until: end)) ?? false
    }
}
