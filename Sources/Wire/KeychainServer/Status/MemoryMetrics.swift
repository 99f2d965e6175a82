package import CoreMetrics
import Synchronization

/// Keeps the counts in memory, for the service to tell them itself.
package final class MemoryMetrics: MetricsFactory {
    private let counters = Mutex<[String: MemoryCounter]>([:])

    package init() {}

    /// The counts by their names.
    package var values: [String: Double] {
        counters.withLock { counters in counters.mapValues { Double($0.value) } }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counters.withLock { counters in
            if let counter = counters[label] { return counter }
            let counter = MemoryCounter()
            counters[label] = counter
            return counter
        }
    }

    // The service counts, and measures nothing else.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
}

private final class MemoryCounter: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        count.store(0, ordering: .relaxed)
    }
}
