import ArgumentParser
import Foundation
import KeychainClient
import KeychainModel
import KeychainPrompting
import Terminal

struct RunAgent: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Ask for the passcode on behalf of the keychain service, until it is stopped.",
        discussion: """
            Items can demand that their owner is there. This program asks, by a pinentry, on the terminal or the display of \
            whoever wants such an item, else on its own. What is typed goes to the enclave, and to no other process.

            One for each session is enough; a later one is asked before an earlier one. It waits for a service that is away.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The program that asks, which speaks pinentry's protocol; the system's, if not said otherwise.",
            valueName: "path"
        )
    )
    var pinentry: String?

    func run() throws {
        guard pinentry?.hasPrefix("/") ?? true else { throw ValidationError("--pinentry takes a whole path") }
        // Where there is no pinentry, waiting brings none.
        _ = try PinentryPrompter(
            path: pinentry,
            desk: { () throws(KeychainError) in throw PresenceFailure.interrupted.error }
        )
        var isFirst = true
        while true {
            do throws(KeychainError) {
                try CurrentKeychain.showPrompts { (desk) throws(KeychainError) in
                    try PinentryPrompter(path: pinentry, desk: desk)
                }
            } catch {
                guard error.code == .notAvailable else { throw error }
                if isFirst { Console.printError("chatelaine: \(error.message); waiting for it\n") }
                isFirst = false
                usleep(Self.pause)
            }
        }
    }

    /// In microseconds.
    private static let pause: UInt32 = 1_000_000
}
