import ArgumentParser
import CLinux
import CodeSignature
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainServer
import Logging
import PeerIdentity

/// The keychain service with checks left out, for the attacks that these checks stop, and with callers whose part a test
/// plays. In system mode, unless it is told otherwise.
@main
struct UncheckedDaemon: ParsableCommand {
    @Option var directory: String
    @Option var socket: String
    @Option var teams: String = "/nowhere"
    @Option(help: "The uid that the service runs as.") var user: UInt32 = 0
    @Option var identifyUser: UInt32 = 0
    @Option(help: "The number of the group that installed programs get.") var markerGroup: UInt32 = 0
    @Option(help: "The path of chatelaine-identify.") var identify: String = ""
    @Flag(help: "In session mode; all checks are made.") var session = false
    @Option(help: "A check that is left out; see PeerChecks.named.") var without: [String] = []
    @Option(help: "Milliseconds before a caller is looked at, as on a busy machine.") var delay: UInt32 = 0
    @Option(help: "How many descriptors the service may have.") var descriptors: UInt?
    @Flag(help: "Takes the name that a client binds its socket to for its identity; see CallersByAddress.")
    var callersByAddress = false
    @Flag(help: "Leaves the handlers of crashes as the runtime has set them.") var keepCrashHandlers = false

    mutating func run() throws {
        if !keepCrashHandlers { clinux_reset_crash_signals() }
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let log = Logger(label: "unchecked-daemon")
        if session { return try runSession(log) }
        let checks = try PeerChecks.unchecked(without: leftOut())

        // As in the service: everything that needs root's rights before they go.
        try prepareFolder()
        let listener = try ListeningSocket(binding: socket, for: .everybody)
        let witness: any PeerWitness
        if checks.contains(.fileMount) {
            witness = try WitnessProcess.start(identify, as: "\(identifyUser)")
            guard clinux_become(user, user, 0) == 0, clinux_harden() == 0 else { throw ExitCode.failure }
        } else {
            // The witness's own check of the mount cannot be left out. This one goes without, and needs root's rights.
            witness = LocalWitness(reach: .all)
        }
        if let descriptors {
            var limit = rlimit(rlim_cur: descriptors, rlim_max: descriptors)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }

        var gatekeeper: any Gatekeeper = PeerGatekeeper(
            mode: .system(markerGroup: markerGroup),
            witness: witness,
            verdicts: VerdictCache(SignatureVerifier(teams: TrustedTeams(directory: teams))),
            checks: checks
        )
        if delay > 0 { gatekeeper = DelayingGatekeeper(gatekeeper, milliseconds: delay) }
        if callersByAddress { gatekeeper = CallersByAddress(gatekeeper) }
        try serve(listener, gatekeeper, mode: .system, log)
    }

    private func runSession(_ log: Logger) throws {
        let listener = try ListeningSocket(binding: socket, for: .owner)
        var gatekeeper: any Gatekeeper = PeerGatekeeper(
            mode: .session(uid: getuid()),
            witness: LocalWitness(),
            verdicts: VerdictCache(SignatureVerifier(teams: TrustedTeams(directory: teams)))
        )
        if callersByAddress { gatekeeper = CallersByAddress(gatekeeper) }
        try serve(listener, gatekeeper, mode: .session, log)
    }

    private func serve(
        _ listener: ListeningSocket,
        _ gatekeeper: any Gatekeeper,
        mode: ServiceIdentity.Mode,
        _ log: Logger
    ) throws {
        let limits = ServiceLimits()
        let folder = try ServiceFolder(path: directory, mode: mode, credentials: nil)
        let server = KeychainServer(
            mode: mode,
            version: "unchecked",
            gatekeeper: gatekeeper,
            keychains: UserKeychains(folder: folder, limits: limits, log: log),
            limits: limits,
            log: log
        )
        try server.start(listeningOn: listener.descriptor)
        _ = write(STDOUT_FILENO, "ready\n", 6)
        // Whoever started it ends it by closing its standard input.
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) > 0 {}
        server.stop()
        withExtendedLifetime(listener) {}
    }

    private func prepareFolder() throws {
        mkdir(directory, 0o700)
        guard chown(directory, user, user) == 0 else { throw ExitCode.failure }
    }

    private func leftOut() throws -> PeerChecks {
        var checks: PeerChecks = []
        for name in without {
            guard let check = PeerChecks.named.first(where: { $0.key == name })?.value else {
                throw ValidationError("there is no check \(name)")
            }
            checks.insert(check)
        }
        return checks
    }
}
