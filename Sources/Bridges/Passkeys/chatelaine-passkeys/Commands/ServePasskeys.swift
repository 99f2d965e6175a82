import ArgumentParser
import Foundation
import KeychainClient
import KeychainSystem
import PasskeyProtocol

struct ServePasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Be a security key for programs, until it is stopped.",
        discussion: "Programs speak CTAPHID over the socket, a packet of 64 bytes for each report."
    )

    @Option(help: ArgumentHelp("Where to listen.", valueName: "path"))
    var socket: String

    @Option(help: "Where new passkeys are kept: circle (if the keychain shares items with other devices), device.")
    var keep: PasskeyPlace?

    func run() throws {
        try GuardedProcess.enter()
        let path = socket.hasPrefix("/") ? socket : FileManager.default.currentDirectoryPath + "/" + socket
        let listener = try ListeningSocket(binding: path, for: .owner, kind: .packets)
        try DeviceServer(listener: listener, kind: keep?.kind).run()
    }
}
