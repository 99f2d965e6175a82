import Glibc

/// An instant of a clock at which waiting ends.
package protocol PollDeadline {
    /// In milliseconds from now on, rounded up, or the last one would be polled without a pause; 0 when it has come.
    var timeout: Int32 { get }
}

extension ContinuousClock.Instant: PollDeadline {
    package var timeout: Int32 { (self - .now).timeout }
}

extension SuspendingClock.Instant: PollDeadline {
    package var timeout: Int32 { (self - .now).timeout }
}

extension Duration {
    fileprivate var timeout: Int32 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        return Int32(
            clamping: min(seconds, 1 << 40) * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        )
    }
}

extension OpenDescriptor {
    /// Waits until the descriptor is ready, or has an error or a hang-up to tell.
    ///
    /// - Parameters:
    ///   - events: of poll(2), such as `POLLIN`; 0 for hang-ups alone.
    ///   - deadline: nil for as long as it takes.
    /// - Returns: false where the deadline came first.
    package func wait(for events: Int32, until deadline: (any PollDeadline)? = nil) throws(SystemError) -> Bool {
        var request = pollfd(fd: number, events: Int16(events), revents: 0)
        return try unsafe Waiting.poll(&request, 1, until: deadline)
    }
}

/// Waiting for one of several descriptors (poll(2)).
package enum Waiting {
    /// What is waited for, in the order of what is returned.
    ///
    /// - Parameters:
    ///   - requests: descriptors, each with its events. The kernel leaves negative ones out.
    ///   - deadline: nil for as long as it takes.
    /// - Returns: which are ready, or have an error or a hang-up to tell; none where the deadline came first.
    package static func wait(
        for requests: (number: Int32, events: Int32)...,
        until deadline: (any PollDeadline)? = nil
    ) throws(SystemError) -> [Bool] {
        var requests = requests.map { pollfd(fd: $0.number, events: Int16($0.events), revents: 0) }
        _ = try unsafe poll(&requests, requests.count, until: deadline)
        return requests.map { $0.revents != 0 }
    }

    fileprivate static func poll(
        _ requests: UnsafeMutablePointer<pollfd>,
        _ count: Int,
        until deadline: (any PollDeadline)?
    ) throws(SystemError) -> Bool {
        while true {
            let timeout = deadline?.timeout ?? -1
            let ready = unsafe Glibc.poll(requests, nfds_t(count), timeout)
            if ready > 0 { return true }
            if ready == 0, timeout == 0 { return false }
            // An interrupted call waits for what is left, and one that ended early as well.
            guard ready == 0 || errno == EINTR || errno == EAGAIN else {
                throw SystemError("a descriptor cannot be waited for")
            }
        }
    }
}
