import CodeSignature
import Foundation
import KeychainModel
import KeychainServer
import KeychainSystem
import Logging
import PeerIdentity

/// One user's own service in this process, behind its own gate: what counts instructions cannot look into a process that is
/// closed to others.
final class CountedService {
    private let listener: ListeningSocket
    private let server: KeychainServer

    /// Serves the keychain in a folder, and makes it the one of this process.
    init(_ folder: String) throws {
        var log = Logger(label: "call-count")
        log.logLevel = .error
        let socket = folder + ".sock"
        listener = try ListeningSocket(binding: socket, for: .owner)
        let limits = ServiceLimits()
        server = KeychainServer(
            mode: .session,
            version: "counted",
            gatekeeper: PeerGatekeeper(
                mode: .session(uid: geteuid()),
                witness: LocalWitness(),
                verdicts: VerdictCache(SignatureVerifier(teams: TrustedTeams(owner: .rootOrOneself)))
            ),
            keychains: UserKeychains(
                folder: try ServiceFolder(path: folder, mode: .session, credentials: nil),
                limits: limits,
                log: log
            ),
            limits: limits,
            log: log
        )
        try server.start(listeningOn: listener.descriptor)
        setenv("CHATELAINE_KEYCHAIN", "unix:" + socket, 1)
    }

    func stop() {
        server.stop()
        listener.close()
    }
}
