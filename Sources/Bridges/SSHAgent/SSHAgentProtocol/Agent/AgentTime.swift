/// What the clocks say when a request comes.
package struct AgentTime: Sendable {
    /// Milliseconds of a clock that never goes back, and goes on while the machine sleeps.
    package let monotonic: UInt64
    /// Seconds since 1970.
    package let date: UInt64

    package init(monotonic: UInt64, date: UInt64) {
        self.monotonic = monotonic
        self.date = date
    }
}
