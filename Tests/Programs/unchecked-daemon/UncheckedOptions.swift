import ArgumentParser
import Glibc
import KeychainDaemon
import KeychainServer

/// chatelained's options, and what it has none for.
struct UncheckedOptions: ParsableArguments {
    @OptionGroup var daemon: DaemonOptions

    @Option(help: "A check that is left out; see PeerChecks.named.") var without: [String] = []
    @Option(help: "Milliseconds before a caller is looked at, as on a busy machine.") var delay: UInt32 = 0
    @Option(help: "How many descriptors the service may have.") var descriptors: UInt?
    @Option(help: "Stored bytes after which an answer is sent in pages, of so much each.") var pageSize: Int?
    @Flag(help: "Takes the name that a client binds its socket to for its identity; see CallersByAddress.")
    var callersByAddress = false
    @Flag(help: "Gives each request the memory that it asks for at once.") var withoutBudgets = false
    @Flag(help: "Drops the oldest lines of a full record, whosesoever they are.") var recordWithoutShares = false
    @Flag(help: "Leaves the handlers of crashes as the runtime has set them.") var keepCrashHandlers = false

    func leftOut() throws -> PeerChecks {
        var checks: PeerChecks = []
        for name in without {
            guard let check = PeerChecks.named.first(where: { $0.key == name })?.value else {
                throw ValidationError("there is no check \(name)")
            }
            checks.insert(check)
        }
        return checks
    }

    var limits: ServiceLimits {
        var limits = withoutBudgets ? ServiceLimits().uncheckedWithoutBudgets : ServiceLimits()
        limits.uncheckedRecordHasNoShares = recordWithoutShares
        if let pageSize { (limits.smallAnswer, limits.pageSize) = (pageSize, pageSize) }
        return limits
    }

    func limitDescriptors() {
        guard let descriptors else { return }
        var limit = rlimit(rlim_cur: descriptors, rlim_max: descriptors)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
