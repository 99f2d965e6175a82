import AccessPages
import Foundation
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import KeychainModel
import KeychainSystem
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Serves the pages until their session ends.
struct AccessServer {
    private let place: AccessPlace
    private let idleTime: Duration
    private let catalogue: ItemCatalogue

    /// A browser uses six, and may have several windows open.
    private static let mostConnections = 32
    /// Each may wait for an answer of the owner's.
    private static let threads = 6
    private static let mostHeaderBytes = 16 * 1024

    init(_ place: AccessPlace, idleTime: Duration, keychain: any AccessKeychain, changes: any KeychainChanges) {
        self.place = place
        self.idleTime = idleTime
        catalogue = ItemCatalogue(keychain, changes: changes)
    }

    /// Serves until the session ends, or a signal says so. Then the process ends.
    ///
    /// - Parameter opened: is told the address as soon as it works. What it returns is held until then.
    func run(_ opened: @escaping @Sendable (String) -> (any AnyObject & Sendable)?) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
        let responder = SiteResponder(pool)
        var port: LoopbackPort?
        let address: BindAddress
        let host: String
        switch place {
        case .port(let wanted):
            let held = try LoopbackPort(wanted)
            port = held
            address = .hostname("127.0.0.1", port: held.number)
            host = "\(Self.name):\(held.number)"
        case .socket(let path, let browserPort):
            address = .unixDomainSocket(path: path)
            host = "\(Self.name):\(browserPort)"
        }
        let application = application(responder, on: address, isOnPort: port != nil, group: group) { channel in
            do {
                // Without IPv6 nobody holds the port before it is bound.
                let bound = host.hasSuffix(":0") ? host.dropLast() + "\(channel.localAddress?.port ?? 0)" : host[...]
                // Who has connected before this is closed out by PeerCheck.
                if case .socket(let path, _) = place, unsafe chmod(path, 0o600) != 0 {
                    throw KeychainError(.inputOutput, "\(path) cannot be protected")
                }
                let site = try site(String(bound))
                // Many items take a while to be read: until the browser has started.
                try DetachedThread.start { [catalogue] in _ = try? catalogue.index() }
                try DetachedThread.start { site.warnings = DoctorWarnings.find() }
                responder.serve(site)
                responder.hold(opened(site.address))
            } catch {
                responder.fail(error)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await application.run() }
            tasks.addTask { try await responder.end() }
            defer { tasks.cancelAll() }
            // The first to end is the session, or a server that could not begin.
            try await tasks.next()
            responder.finish()
            if case .socket(let path, _) = place { unsafe _ = unlink(path) }
            // A thread may still wait for the owner's answer, which nobody wants any more.
            _exit(0)
        }
        withExtendedLifetime(port) {}
    }

    /// A name of its own: cookies are for a name, whatever the port, and any user's program can have a port of 127.0.0.1.
    /// Browsers know that everything under localhost is this machine.
    private static var name: String { "\(AccessKey().text.prefix(32)).localhost" }

    private func application(
        _ responder: SiteResponder,
        on address: BindAddress,
        isOnPort: Bool,
        group: MultiThreadedEventLoopGroup,
        _ running: @escaping @Sendable (any Channel) async -> Void
    ) -> some ApplicationProtocol {
        var limits = HTTP1Channel.Configuration.DecoderConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) =
            (Self.mostHeaderBytes, Self.mostHeaderBytes, 100)
        let channels = HTTP1Channel.Configuration(
            additionalChannelHandlers: Self.handlers(isOnPort: isOnPort),
            httpDecoderConfiguration: limits
        )
        var quiet = Logger(label: "chatelaine.access")
        quiet.logLevel = .critical
        return Application(
            responder: responder,
            server: .http1(configuration: channels),
            configuration: ApplicationConfiguration(
                address: address,
                backlog: Self.mostConnections,
                reuseAddress: false,
                availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)
            ),
            onServerRunning: running,
            eventLoopGroupProvider: .shared(group),
            logger: quiet
        )
    }

    private func site(_ host: String) throws -> AccessSite {
        try AccessSite(
            catalogue,
            AccessSession(host: host, idleTime: idleTime, at: .now),
            place: try KeychainWatch.place(),
            recordPath: try KeychainWatch.recordPath(),
            clipboard: SecretClipboard(environment: ProcessInfo.processInfo.environment)
        )
    }

    private static func handlers(isOnPort: Bool) -> [any RemovableChannelHandler] {
        [PeerCheck(isOnPort: isOnPort), RequestLimits()]
    }
}
