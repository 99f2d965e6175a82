import Foundation
import KeychainTestSupport
import Synchronization

/// The service in system mode, started as root, with some checks left out; the victim has stored its secret in it.
final class AttackedService: Sendable {
    let socket: String
    let folder: String
    let process: Int32
    let log: String

    /// One for each set of options, for as long as the tests run.
    static func running(
        without checks: [String],
        options: [String] = [],
        on kernel: SeenKernel = .ofMachine
    ) throws -> AttackedService {
        let key = (checks.sorted() + options + [kernel.rawValue]).joined(separator: " ")
        return try started.withLock { started in
            if let service = started[key] { return service }
            let service = try AttackedService(AttackSite.shared.get(), without: checks, options: options, on: kernel)
            started[key] = service
            return service
        }
    }

    private static let started = Mutex<[String: AttackedService]>([:])

    /// - Parameter existing: the folder of a service that has ended, whose keychains this one serves.
    init(
        _ site: AttackSite,
        without checks: [String],
        options: [String],
        on kernel: SeenKernel = .ofMachine,
        in existing: String? = nil
    ) throws {
        folder = existing ?? site.folder + "/services/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        socket = folder + "/keychain.sock"
        log = folder + "/log"
        process = try StartedDaemon(
            kernel.wrapper + [Self.beside("unchecked-daemon")]
                + StartedDaemon.options(in: folder, socket: socket, teams: site.folder + "/teams")
                // The attacker becomes the victim meanwhile.
                + ["--delay", "40"] + checks.flatMap { ["--without", $0] } + options,
            log: log
        ).process
        guard existing == nil else { return }
        var environment = site.environment
        environment["SOCKET"] = socket
        environment["REQUEST"] = site.folder + "/add.frame"
        let stored = try Command([site.victim, "get"], as: AttackSite.user, environment: environment).run()
        guard stored.status == 0 else {
            throw AttackFailure("the victim cannot store its secret: " + stored.errors + logText)
        }
        // It waits for an answer, and not for a good one.
        environment["REQUEST"] = site.environment["REQUEST"]
        let isThere = try eventually {
            try Command([site.victim, "get"], as: AttackSite.user, environment: environment).run().contains(site.secret)
        }
        guard isThere else { throw AttackFailure("the victim's secret is not there: " + logText) }
    }

    /// Waits for its end.
    func hasEnded() -> Bool {
        for _ in 0..<500 {
            let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            if status.isEmpty || status.contains(") Z ") { return true }
            usleep(10_000)
        }
        return false
    }

    var logText: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Programs lie beside the tests.
    static func beside(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/"
            + name
    }
}
