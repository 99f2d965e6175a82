import CredentialHelpers
import Glibc
package import KeychainModel
import KeychainSystem
import Terminal

/// Runs the helper that a command line names: `chatelaine-credential`, and its other names.
package struct CredentialProgram {
    /// What is said before errors.
    let name: String
    let keychain: any KeychainService

    /// - Parameters:
    ///   - arguments: the name that the program was started with, and what follows.
    ///   - keychain: opened when the command line is understood.
    /// - Returns: the exit status.
    package static func run(
        _ arguments: [String],
        keychain: () throws(KeychainError) -> any KeychainService
    ) -> Int32 {
        let name = arguments.first?.split(separator: "/").last.map(String.init) ?? "chatelaine-credential"
        var rest = Array(arguments.dropFirst())
        guard let helper = HelperName(program: name) ?? rest.first.flatMap(HelperName.init(rawValue:)) else {
            return Usage.answer(rest)
        }
        if HelperName(program: name) == nil { rest.removeFirst() }
        let program: CredentialProgram
        do throws(KeychainError) {
            program = CredentialProgram(name: name, keychain: try keychain())
        } catch {
            return report(helper.reply(to: HelperFailure(error)), name)
        }
        do throws(HelperFailure) {
            return report(try program.answer(helper, rest), name)
        } catch {
            return report(helper.reply(to: error), name)
        }
    }

    /// Writes what a helper says.
    ///
    /// - Returns: the exit status.
    static func report(_ reply: HelperReply, _ name: String) -> Int32 {
        if !reply.message.isEmpty {
            Console.printError("\(TerminalText.escaped(name)): \(TerminalText.escaped(reply.message))\n")
        }
        guard write(reply.output) else {
            Console.printError("\(TerminalText.escaped(name)): standard output cannot be written\n")
            return 1
        }
        return reply.exitStatus
    }

    private static func write(_ secret: SecretBytes) -> Bool {
        unsafe secret.withUnsafeBytes { bytes in
            let output = LentDescriptor(STDOUT_FILENO)
            return unsafe (try? output.write(bytes)) != nil
        }
    }
}
