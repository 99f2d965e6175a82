import AccessPages
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

    /// - Parameter opened: is told the address as soon as it works.
    func run(_ opened: @escaping @Sendable (String) -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
        let responder = SiteResponder(pool)
        let address: BindAddress =
            switch place {
            case .port(let port): .hostname("127.0.0.1", port: port)
            case .socket(let path, _): .unixDomainSocket(path: path)
            }
        var limits = HTTP1Channel.Configuration.DecoderConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) =
            (Self.mostHeaderBytes, Self.mostHeaderBytes, 100)
        let isOnPort = if case .port = place { true } else { false }
        let channels = HTTP1Channel.Configuration(
            additionalChannelHandlers: Self.handlers(isOnPort: isOnPort),
            idleTimeout: .seconds(60),
            httpDecoderConfiguration: limits
        )
        var quiet = Logger(label: "chatelaine.access")
        quiet.logLevel = .critical
        let application = Application(
            responder: responder,
            server: .http1(configuration: channels),
            configuration: ApplicationConfiguration(
                address: address,
                backlog: Self.mostConnections,
                availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)
            ),
            onServerRunning: { channel in
                do {
                    let site = try self.site(on: channel)
                    responder.serve(site)
                    opened(site.address)
                } catch {
                    responder.fail(error)
                }
            },
            eventLoopGroupProvider: .shared(group),
            logger: quiet
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await application.runService() }
            tasks.addTask { try await responder.end() }
            // Whichever ends first ends the other: a signal, or the session.
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
        try await pool.shutdownGracefully()
        try await group.shutdownGracefully()
    }

    private func site(on channel: any Channel) throws -> AccessSite {
        let host: String
        switch place {
        case .port:
            guard let port = channel.localAddress?.port else { throw KeychainError(.inputOutput, "no port was bound") }
            // A name of its own: cookies are for a name, whatever the port, and any user's program can have a port of
            // 127.0.0.1. Browsers know that everything under localhost is this machine.
            host = "\(AccessKey().text.prefix(32)).localhost:\(port)"
        case .socket(let path, let name):
            guard unsafe chmod(path, 0o600) == 0 else {
                throw KeychainError(.inputOutput, "\(path) cannot be protected")
            }
            host = name
        }
        return try AccessSite(
            catalogue,
            AccessSession(host: host, idleTime: idleTime, at: .now),
            place: try KeychainWatch.place()
        )
    }

    private static func handlers(isOnPort: Bool) -> [any RemovableChannelHandler] {
        isOnPort ? [PeerCheck(), RequestLimits()] : [RequestLimits()]
    }
}
