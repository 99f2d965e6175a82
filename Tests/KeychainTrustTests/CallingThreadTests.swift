import CertificateTestSupport
import Foundation
import Glibc
import KeychainCertificates
import Synchronization
import Testing

@testable import KeychainTrust

@Suite
struct CallingThreadTests {
    @Test func `work is done on the thread that asks for it`() {
        let here = pthread_self()
        let there = CallingThread.run { pthread_self() }
        #expect(there == here)
    }

    @Test func `work that waits for other work of its own ends too`() {
        let value = CallingThread.run {
            await withTaskGroup(of: Int.self) { group in
                for number in 1...10 {
                    group.addTask {
                        await Task.yield()
                        return number
                    }
                }
                var sum = 0
                for await number in group { sum += number }
                return sum
            }
        }
        #expect(value == 55)
    }

    @Test func `work that leaves the thread is given up, not waited for`() {
        let value = CallingThread.run { () -> Int in
            try? await Task.sleep(for: .seconds(600))
            return 1
        }
        #expect(value == nil)
    }

    @TaskLocal static var mark = 0

    @Test func `a task that asks goes on as it was`() async {
        let sum = await Self.$mark.withValue(7) {
            var sum = 0
            for _ in 0..<10 {
                sum += CallingThread.run { 1 } ?? 0
                await Task.yield()
                sum += Self.mark
            }
            return sum
        }
        #expect(sum == 80)
    }

    @Test func `evaluations on every thread of the concurrency library at once end`() async throws {
        let hierarchy = try Hierarchy()
        let trusted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { hierarchy.verdict().isTrusted } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(trusted == 64)
    }
}
