package import Metrics

/// What the service counts.
package struct ServiceMetrics: Sendable {
    let accepted: Counter
    let refused: Counter
    let rejected: Counter
    let requests: Counter
    let operations: Counter
    let failures: Counter
    let dropped: Counter

    package init(factory: any MetricsFactory = MetricsSystem.factory) {
        func counter(_ label: String) -> Counter {
            Counter(label: "chatelained_\(label)", dimensions: [], factory: factory)
        }
        accepted = counter("connections_accepted")
        // Over a limit.
        refused = counter("connections_refused")
        // By the checks of who it is.
        rejected = counter("connections_rejected")
        requests = counter("requests")
        operations = counter("operations")
        failures = counter("failures")
        // Ended by the service: what came was no message, or not in time.
        dropped = counter("connections_dropped")
    }
}
