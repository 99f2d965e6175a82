import Crypto
import Glibc
import KeychainModel

/// The wrong passcodes since the last right one, and how long one has to wait for them.
///
/// The file has 72 bytes: `CHat`, the version 1, three zero bytes, their number (4), four zero bytes, the identity of
/// the machine's start (16), the time since it (8, nanoseconds) at which the waiting began, and HMAC-SHA-256 of all
/// that.
struct Attempts {
    var count: UInt32
    /// When the waiting began, on a clock that cannot be set back.
    var armed: UInt64
    /// Whether the waiting has begun just now, and that is not written down yet.
    private(set) var isRearmed = false

    static let fileSize = 72
    private static let header: [UInt8] = Array("CHat".utf8) + [1, 0, 0, 0]

    static let none = Attempts(count: 0, armed: 0)

    /// So many that the longest waiting follows: what a damaged file counts as.
    private static let many: UInt32 = 100

    /// - Parameter clock: what the file is read at: after another start of the machine the waiting begins anew.
    init(file: [UInt8]?, code key: SymmetricKey, at clock: StartClock) {
        guard let file else {
            self = .none
            return
        }
        var reader = FileReader(file.dropLast(32).dropFirst(Self.header.count))
        guard file.count == Self.fileSize, file.starts(with: Self.header),
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(file.suffix(32)),
                authenticating: file.dropLast(32),
                using: key
            ),
            let count: UInt32 = try? reader.number(4), (try? reader.bytes(4)) != nil,
            let start = try? reader.bytes(16), let armed: UInt64 = try? reader.number(8)
        else {
            self.init(count: Self.many, armed: clock.now)
            isRearmed = true
            return
        }
        let isOld = count > 0 && (start != clock.start || armed > clock.now)
        self.init(count: count, armed: isOld ? clock.now : armed)
        isRearmed = isOld
    }

    init(count: UInt32, armed: UInt64) {
        self.count = count
        self.armed = armed
    }

    func file(code key: SymmetricKey, at clock: StartClock) -> [UInt8] {
        let body = Self.header + count.bigEndianBytes + [0, 0, 0, 0] + clock.start + armed.bigEndianBytes
        return body + Array(HMAC<SHA256>.authenticationCode(for: body, using: key))
    }

    /// The seconds that are left to wait; 0 for none.
    ///
    /// - Parameter hardware: the seconds in which it forgives a wrong passcode; nil where none limits guesses.
    func remaining(at clock: StartClock, hardware: UInt64?) -> UInt64 {
        let delay = Self.delay(after: count, hardware: hardware)
        let waited = (clock.now - min(armed, clock.now)) / 1_000_000_000
        return delay - min(delay, waited)
    }

    /// The seconds to wait after so many wrong passcodes in a row.
    ///
    /// Hardware that limits guesses locks itself for all its users after a few, and forgives one in ten minutes to two
    /// hours, mostly. Ours are soon no faster than that, so that its count does not grow by them.
    static func delay(after count: UInt32, hardware: UInt64?) -> UInt64 {
        if let hardware {
            return switch count {
            case 0, 1: 0
            case 2: min(60, hardware)
            case 3: min(1_200, hardware)
            default: hardware
            }
        }
        return switch count {
        case 0...3: 0
        case 4: 5
        case 5: 30
        case 6: 60
        case 7: 300
        case 8: 900
        default: 3_600
        }
    }
}

/// Time since the machine's start, sleep included. It cannot be set back.
struct StartClock {
    /// 16 bytes that are others after each start.
    let start: [UInt8]
    /// Nanoseconds.
    let now: UInt64

    /// What a start is told by where the kernel does not say: then each start of the process counts as one.
    private static let fallback = ItemUUID().bytes

    private static let machine: [UInt8] = {
        let path = "/proc/sys/kernel/random/boot_id"
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return fallback }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 36)
        guard unsafe Glibc.read(descriptor, &text, text.count) == text.count else { return fallback }
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
    @TaskLocal static var uncheckedReading: @Sendable () -> StartClock = { fromKernel() }

    static var current: StartClock { uncheckedReading() }
}
