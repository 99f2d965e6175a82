import ArgumentParser
import EnclaveInterface
import Glibc
import KeychainClient
import KeychainModel
import Terminal

/// What the commands about the passcode have in common.
struct PasscodeOptions: ParsableArguments {
    @Flag(name: .customLong("stdin"), help: "Read passcodes from standard input, one a line; the old one first.")
    var readsStandardInput = false

    @OptionGroup var owner: OwnerOptions

    var questions: SecretQuestions { SecretQuestions(readsStandardInput: readsStandardInput) }
}

/// Whose keychain a command is about.
struct OwnerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Root only: whose keychain, with the system's service.", valueName: "uid"))
    var uid: UInt32?

    /// - Throws: a failure where there is no keychain so far.
    func control() throws -> any EnclaveControl {
        do throws(KeychainError) {
            return try CurrentKeychain.control(of: uid)
        } catch  where error.code == .itemNotFound {
            throw Failure("there is no keychain yet")
        }
    }
}

extension OwnerOptions {
    /// The same for an owner who may have no keychain yet.
    func controlMakingKeychain() throws -> any EnclaveControl {
        if isOwn { try CurrentKeychain.open() }
        return try control()
    }

    private var isOwn: Bool { uid == nil || uid == geteuid() }

    /// Waits until all items are under the keychain's present keys.
    func waitForNewKeys(of control: any EnclaveControl) throws {
        if isOwn { return try RotationProgress(of: control).wait() }
        // Only the owner's own requests reach their items, even root's do not.
        if try control.state().isRotating {
            Console.printError("the items get their new keys when their owner next uses the keychain\n")
        }
    }
}
