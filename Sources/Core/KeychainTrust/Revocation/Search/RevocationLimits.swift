/// What the questions of one evaluation may cost.
package struct RevocationLimits: Sendable {
    /// For one question, and for all of them.
    package var perRequest = Duration.seconds(5)
    package var total = Duration.seconds(10)
    /// How many questions are sent at most.
    package var mostRequests = 8
    /// How many of the addresses count that a certificate names for one method.
    package var mostServers = 2
    /// Whether a server on this machine, or on its own link, is asked: in tests alone.
    package var mayBeNearby = false

    package init() {}

    /// How many redirections of one request are followed.
    static var mostRedirections: Int { 3 }

    /// Other limits for the current task, so that tests need not wait.
    @TaskLocal package static var override: RevocationLimits?

    package static var current: RevocationLimits { override ?? RevocationLimits() }
}
