import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainServer
import KeychainSystem
import KeychainTestSupport
import Logging

/// A keychain service in this process, in system mode and behind an open gate.
final class TestService: Sendable {
    let folder: String
    let socket: String
    let counter = ServiceCounter()
    private let listener: ListeningSocket
    private let server: KeychainServer

    /// Limits that a test need not wait long for.
    static var quickLimits: ServiceLimits {
        var limits = ServiceLimits()
        limits.frameTime = .milliseconds(300)
        limits.answerTime = .milliseconds(500)
        return limits
    }

    init(
        limits: ServiceLimits = TestService.quickLimits,
        quota: StorageQuota.Limit? = nil,
        gate: any Gatekeeper = OpenGate()
    ) throws {
        folder = FileManager.default.temporaryDirectory.path + "/chatelaine-service-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        socket = folder + "/keychain.sock"
        var log = Logger(label: "test")
        log.logLevel = .critical
        listener = try ListeningSocket(binding: socket, for: .everybody)
        let data = try ServiceFolder(path: folder + "/data", mode: .system, credentials: nil)
        var quotas: UserQuotas?
        if let quota { quotas = UserQuotas(path: folder + "/quotas", standard: quota, owner: getuid(), log: log) }
        server = KeychainServer(
            mode: .system,
            version: "test",
            gatekeeper: gate,
            keychains: UserKeychains(folder: data, quotas: quotas, limits: limits, log: log),
            limits: limits,
            counter: counter,
            log: log
        )
        try server.start(listeningOn: listener.descriptor)
    }

    deinit {
        stop()
        listener.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func stop() {
        server.stop()
    }

    /// The folder of a user's keychain, audit log and so on.
    func folder(of uid: UInt32 = getuid()) -> String { folder + "/data/users/\(uid)" }

    func audit(of uid: UInt32 = getuid()) -> [String] {
        let text = (try? String(contentsOfFile: folder(of: uid) + "/audit.log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    var counts: ServiceCounts { counter.counts }

    /// Waits until there are no more connections than so many.
    func waitUntilConnections(_ count: Int, from client: RawClient) throws {
        try waitUntil("there are at most \(count) connections") { try client.status().connections <= count }
    }
}
