import Foundation
import Glibc
import KeychainTestSupport
import Synchronization

@testable import FingerprintReader

extension FingerprintSite {

    static let short = FingerprintLimits(start: .seconds(10), answer: .seconds(10), end: .seconds(10))

    func makeReader(_ limits: FingerprintLimits = short) -> FingerprintReader {
        FingerprintReader(address: bus, limits: limits)
    }

    /// Verifies on a thread of its own.
    func verify(
        _ user: String = "alice",
        with reader: FingerprintReader? = nil,
        until stop: Int32 = -1,
        patience: Duration = .seconds(20),
        hear: @escaping @Sendable (FingerprintMessage) -> Void = { _ in }
    ) async -> FingerprintVerdict {
        let reader = reader ?? makeReader()
        return await onThread { reader.verify(user: user, until: stop, patience: patience, hear: hear) }
    }

    func availability(
        of user: String = "alice",
        with reader: FingerprintReader? = nil
    ) async -> FingerprintStatus {
        let reader = reader ?? makeReader()
        return await onThread { reader.availability(of: user) }
    }
}

/// Runs something that blocks on a thread of its own: the threads that tests share are few.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        let work = Work(body)
        Thread { continuation.resume(returning: work.run()) }.start()
    }
}

/// Lets go of what it holds when it is done, and not some time after: what a test has started ends with the test's site.
private final class Work<Result: Sendable>: Sendable {
    private let body: Mutex<(@Sendable () -> Result)?>

    init(_ body: @escaping @Sendable () -> Result) { self.body = Mutex(body) }

    func run() -> Result {
        guard let body = body.withLock({ body in body.take() }) else {
            preconditionFailure("run twice")
        }
        return body()
    }
}

/// A descriptor to stop by.
final class Stop: Sendable {
    let descriptor: Int32
    private let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        descriptor = ends[0]
        writing = ends[1]
    }

    func now() { _ = write(writing, "!", 1) }

    deinit {
        close(descriptor)
        close(writing)
    }
}

/// What was heard, in order.
final class Messages: Sendable {
    private let messages = Mutex<[FingerprintMessage]>([])
    var all: [FingerprintMessage] { messages.withLock { $0 } }
    func add(_ message: FingerprintMessage) { messages.withLock { $0.append(message) } }
}
