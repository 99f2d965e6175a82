import AccessPages
import ArgumentParser
import Glibc
import KeychainClient
import KeychainModel
import Logging
import Terminal

struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chatelaine access",
        abstract: "Show the keychain in the browser.",
        discussion: """
            Prints an address and opens it in the browser. The address works once, in the browser that opens it first; nobody \
            else gets in. The program ends when the window is closed with its button, when nobody has used it for a while, \
            or with Ctrl-C.
            """,
        version: "chatelaine access \(ProductVersion.current)"
    )

    @Flag(name: .customLong("no-browser"), help: "Print the address, and open no browser.")
    var opensNoBrowser = false

    @Option(help: ArgumentHelp("Minutes without use after which the program ends.", valueName: "minutes"))
    var idle = 10

    @Option(help: ArgumentHelp("The port on 127.0.0.1; without it a free one.", valueName: "number"))
    var port = 0

    @Option(
        help: ArgumentHelp(
            "Listen on this UNIX socket and on no port, for example to forward it by ssh. Goes with --browser-port.",
            valueName: "path"
        )
    )
    var socket: String?

    @Option(
        name: .customLong("browser-port"),
        help: ArgumentHelp("With --socket: the port that is forwarded to it where the browser is.", valueName: "number")
    )
    var browserPort: Int?

    func validate() throws {
        if !(1...1_440).contains(idle) { throw ValidationError("--idle is from 1 to 1440 minutes") }
        if !(0...65_535).contains(port) { throw ValidationError("--port is from 0 to 65535") }
        if (socket == nil) != (browserPort == nil) { throw ValidationError("--socket and --browser-port go together") }
        if socket != nil && port != 0 { throw ValidationError("--socket takes the place of a port") }
        if let browserPort, !(1...65_535).contains(browserPort) {
            throw ValidationError("--browser-port is from 1 to 65535")
        }
    }

    func serve() async throws {
        // The log would go where the address is printed.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        try GuardedProcess.enter()
        let keychain = try CurrentKeychain.looked()
        let server = AccessServer(
            try place(),
            idleTime: .seconds(idle * 60),
            keychain: keychain,
            changes: try KeychainWatch.changes(of: keychain)
        )
        try await server.run { address in
            _ = Console.write(Array("\(address)\n".utf8))
            guard !opensNoBrowser, socket == nil, Browser.isPossible else { return nil }
            guard let file = try? OpeningFile(address) else { return nil }
            Browser.open("file://\(file.path)")
            return file
        }
    }

    private func place() throws -> AccessPlace {
        guard let socket, let browserPort else { return .port(port) }
        return .socket(path: socket, browserPort: browserPort)
    }
}

/// Where the pages are served.
enum AccessPlace: Sendable {
    /// Of 127.0.0.1; 0 for a free one.
    case port(Int)
    /// - `browserPort`: by which browsers reach it.
    case socket(path: String, browserPort: Int)
}
