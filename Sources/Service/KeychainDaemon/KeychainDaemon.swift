import Glibc
import KeychainModel
import KeychainProtocol
package import KeychainServer
import KeychainSystem
import Logging
import PeerIdentity
import ServiceLifecycle
import UnixSignals

/// The service as a process, once it has what it needs and no more.
package enum KeychainDaemon {
    /// Serves until it is told to stop.
    ///
    /// - Parameters:
    ///   - gatekeeper: who decides who callers are.
    ///   - limits: made less where the process has few descriptors.
    /// - Throws: `notAvailable` where it cannot begin, or where whom it needs to know its callers has gone.
    package static func run(
        _ daemon: PreparedDaemon,
        gatekeeper: any Gatekeeper,
        limits: ServiceLimits = ServiceLimits()
    ) async throws {
        let level = StandardErrorLog.level(named: daemon.options.logLevel) ?? .notice
        LoggingSystem.bootstrap { _ in StandardErrorLog(level: level) }
        let log = Logger(label: "chatelained")
        let service = try KeychainService(daemon, gatekeeper: gatekeeper, limits: limits, log: log)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: service,
                        successTerminationBehavior: .gracefullyShutdownGroup
                    )
                ],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "lifecycle") { _ in StandardErrorLog(level: .error) }
            )
        )
        try await group.run()
    }

    private struct KeychainService: Service {
        let server: KeychainServer
        let daemon: PreparedDaemon
        let enclaves: DaemonEnclaves
        let log: Logger

        init(
            _ daemon: PreparedDaemon,
            gatekeeper: any Gatekeeper,
            limits: ServiceLimits,
            log: Logger
        ) throws(KeychainError) {
            self.daemon = daemon
            self.log = log
            let mode = daemon.options.serviceMode
            let folder = try ServiceFolder(
                path: daemon.directory,
                mode: mode,
                credentials: unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
            )
            enclaves = try DaemonEnclaves(daemon.enclave, folder: folder, log: log)
            var limits = limits
            limits.fit(descriptors: Self.descriptorLimit)
            // In session mode a keychain is the user's own file, under the quota of the user's disk.
            let quotas =
                mode == .system
                ? daemon.options.quotaLimit.map { UserQuotas(path: daemon.options.quotas, standard: $0, log: log) }
                : nil
            server = KeychainServer(
                mode: mode,
                version: ProductVersion.current,
                gatekeeper: gatekeeper,
                keychains: UserKeychains(
                    folder: folder,
                    enclaves: enclaves.folders,
                    quotas: quotas,
                    limits: limits,
                    log: log
                ),
                limits: limits,
                log: log
            )
        }

        private static var descriptorLimit: Int {
            var limit = rlimit()
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
            return Int(clamping: limit.rlim_cur)
        }

        func run() async throws {
            try server.start(listeningOn: daemon.listener.descriptor)
            log.notice(
                "serving keychains",
                metadata: ["mode": "\(daemon.options.mode.rawValue)", "directory": "\(daemon.directory)"]
            )
            let watch = SessionWatch.start(enclaves.locks, log: log)
            Supervisor.notify("READY=1")
            let gone = await HangUp.ofAny(
                [
                    "chatelaine-identify": daemon.gate.helper?.number,
                    "chatelaine-enclave": enclaves.startedEnclave,
                ].compactMapValues(\.self)
            )
            Supervisor.notify("STOPPING=1")
            log.notice("stopping")
            watch?.stop()
            server.stop()
            enclaves.stop()
            daemon.listener.close()
            if let gone {
                throw KeychainError(.notAvailable, "\(gone) has ended, without which the service can do nothing")
            }
        }
    }
}
