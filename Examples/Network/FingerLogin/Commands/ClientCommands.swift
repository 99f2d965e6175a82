import ArgumentParser
import Foundation

struct Enrol: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a key in the Secure Enclave, and tell the server.")

    @OptionGroup var account: AccountOptions

    @Option(help: "What “finger-login invite” has printed.")
    var invitation: String

    @Flag var demand: LoginKey.Demand = .fingerOrPasscode

    func run() async throws {
        try await account.client.enrol(invitation: invitation, demanding: demand)
        print("\(account.server) knows the key of \(account.user).")
    }
}

struct LogIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in: asks the person, and prints the session's token."
    )

    @OptionGroup var account: AccountOptions

    @Flag(help: "Print what would log in, once, and do not send it.")
    var dryRun = false

    func run() async throws {
        if dryRun {
            print(String(decoding: try JSONEncoder().encode(await account.client.loginRequest()), as: UTF8.self))
        } else {
            print(try await account.client.logIn())
        }
    }
}

struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete the key. The server keeps its public half.")

    @OptionGroup var account: AccountOptions

    func run() throws {
        guard try LoginKey.delete(for: account.server, account.user) else { throw Failure("there is no such key") }
    }
}
