import ArgumentParser
import Foundation
import Glibc

/// Hands over to the ssh agent's program: the keychain tells programs apart, and its keys are that program's.
struct SSHCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ssh",
        abstract: "Keep ssh keys in the keychain: create, list, export, import, delete, enable, disable, status.",
        discussion: "chatelaine ssh --help says more; so does chatelaine-ssh-agent(1)."
    )

    @Argument(parsing: .captureForPassthrough, help: "What chatelaine-ssh-agent is told.")
    var arguments: [String] = []

    func run() throws {
        let program = try Self.program()
        var list = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        _ = unsafe execv(program, &list)
        let reason = unsafe String(cString: strerror(errno))
        throw Failure("\(program) cannot be started: \(reason)")
    }

    /// Beside the service's programs, where it is installed; beside this one, in a build folder.
    private static func program() throws -> String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        guard let folder = own?.split(separator: "/", omittingEmptySubsequences: false).dropLast() else {
            throw Failure("where this program is cannot be told")
        }
        let prefix = folder.dropLast().joined(separator: "/")
        let name = "chatelaine-ssh-agent"
        let places = ["\(prefix)/libexec/chatelaine/\(name)", folder.joined(separator: "/") + "/" + name]
        guard let program = places.first(where: { unsafe access($0, X_OK) == 0 }) else {
            throw Failure("\(name) is not installed: neither \(places.joined(separator: " nor "))")
        }
        return program
    }
}
