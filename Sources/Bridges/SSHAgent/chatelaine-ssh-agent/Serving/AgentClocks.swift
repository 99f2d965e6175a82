import Glibc
import SSHAgentProtocol

extension AgentTime {
    static var now: AgentTime {
        var monotonic = timespec()
        var date = timespec()
        // Lifetimes pass while the machine sleeps.
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &monotonic)
        _ = unsafe clock_gettime(CLOCK_REALTIME, &date)
        return AgentTime(
            monotonic: UInt64(clamping: monotonic.tv_sec) &* 1_000 &+ UInt64(clamping: monotonic.tv_nsec) / 1_000_000,
            date: UInt64(clamping: date.tv_sec)
        )
    }
}
