import ArgumentParser
import EnclaveInterface
import KeychainClient
import KeychainModel
import Terminal

struct RotateKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-keys",
        abstract: "Give all items of the keychain new keys.",
        discussion: """
            Copies of the keychain's keybag from before do not open the items any more that are in the database now. It asks \
            for the passcode, unless there is none or you are root. Programs can go on meanwhile. Stopped in between, the next \
            use of the keychain goes on with it.
            """
    )

    @Flag(name: .customLong("stdin"), help: "Read the passcode from standard input.")
    var readsStandardInput = false

    func run() throws {
        let keychain = try CurrentKeychain.keyRotation()
        let authorization = try OwnerAuthorization(
            of: keychain,
            asking: SecretQuestions(readsStandardInput: readsStandardInput)
        )
        try keychain.rotateKeys(authorization.token(for: .rotateKeys))
    }
}
