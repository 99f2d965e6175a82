import Glibc
import SSHAgentProtocol

/// One connection, on a thread of its own.
struct ServedConnection {
    let descriptor: Int32
    let key: UInt64
    let table: ConnectionTable
    let agent: Agent

    /// How long a frame may take from its first byte on, and an answer until the client has read it; in milliseconds.
    private static let patience: UInt64 = 10_000
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
        var end: UInt64?
        while true {
            guard wait(Int16(POLLIN), until: end) else { return nil }
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
                end = AgentTime.now.monotonic + Self.patience
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
        let end = AgentTime.now.monotonic + Self.patience
        var sent = 0
        while sent < bytes.count {
            guard wait(Int16(POLLOUT), until: end) else { return false }
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

    /// - Parameter end: of the clock; nil for as long as it takes.
    private func wait(_ events: Int16, until end: UInt64?) -> Bool {
        while true {
            var timeout: Int32 = -1
            if let end {
                let now = AgentTime.now.monotonic
                guard now < end else { return false }
                timeout = Int32(clamping: end - now)
            }
            var descriptor = pollfd(fd: descriptor, events: events, revents: 0)
            let result = unsafe poll(&descriptor, 1, timeout)
            if result > 0 { return true }
            if result < 0, errno != EINTR { return false }
        }
    }
}
