import Glibc
import KeychainModel
import KeychainSystem

/// Time since the machine's start, sleep included. It cannot be set back.
package struct StartClock: Sendable {
    /// 16 bytes that are others after each start.
    package let start: [UInt8]
    /// Nanoseconds.
    package let now: UInt64

    /// What a start is told by where the kernel does not say: then each start of the process counts as one.
    private static let fallback = ItemUUID().bytes

    private static let machine: [UInt8] = {
        guard let file = try? Descriptor(opening: "/proc/sys/kernel/random/boot_id", O_RDONLY),
            let text = try? file.prefix(36), text.count == 36
        else { return fallback }
        let digits = text.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 32 else { return fallback }
        return stride(from: 0, to: 32, by: 2).map { UInt8(truncatingIfNeeded: digits[$0] << 4 | digits[$0 + 1]) }
    }()

    private static func fromKernel() -> StartClock {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return StartClock(
            start: machine,
            now: UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
        )
    }

    /// What tests put in its place.
    @TaskLocal package static var uncheckedReading: @Sendable () -> StartClock = { fromKernel() }

    package static var current: StartClock { uncheckedReading() }
}
