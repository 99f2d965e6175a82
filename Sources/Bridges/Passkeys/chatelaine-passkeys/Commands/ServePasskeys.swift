import ArgumentParser
import Foundation
import KeychainSystem
import PasskeyProtocol

struct ServePasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Be a security key for this user's programs, until it is stopped.",
        discussion: """
            The system shows a device that browsers find by themselves. With --socket programs connect to a socket in its \
            place, and speak CTAPHID over it, a packet of 64 bytes for each report.
            """
    )

    @Option(help: ArgumentHelp("Listen there, and have no device.", valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp("Where chatelaine-passkey-device is reached, which makes the device.", valueName: "path")
    )
    var device = SystemDevice.socketPath

    @Option(help: "Where new passkeys are kept: circle (if the keychain shares items with other devices), device.")
    var keep: PasskeyPlace?

    func run() throws {
        guard let socket else {
            // The system takes the device away with the connection.
            ServedDevice(socket: try SystemDevice.connect(at: device), kind: keep?.kind).serve()
            throw SystemDevice.hasGone
        }
        let path = socket.hasPrefix("/") ? socket : FileManager.default.currentDirectoryPath + "/" + socket
        let listener = try ListeningSocket(binding: path, for: .owner, kind: .packets)
        try DeviceServer(listener: listener, kind: keep?.kind).run()
    }
}
