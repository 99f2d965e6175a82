import ArgumentParser
import Crypto
import Glibc
import KeychainModel
import KeychainSystem
import PasskeyProtocol
import PasswordImport
import Terminal

struct ExportPasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write passkeys into a file in the Credential Exchange Format, for another password manager.",
        discussion: """
            The file has their private keys, and is not encrypted: --plain says that you know. chatelaine backup create makes \
            encrypted copies. Passkeys of this device stay in the Secure Enclave, and are named. The owner of the \
            keychain confirms it.
            """
    )

    @Flag(help: "Write private keys that anybody can read who has the file.")
    var plain = false

    @Argument(help: "A new file. Only you can read it.")
    var file: String

    func validate() throws {
        guard file != "-" else { throw ValidationError("private keys are written into a file alone: name one") }
        guard plain else {
            throw ValidationError("the file is not encrypted: say --plain, or make a backup (chatelaine backup create)")
        }
    }

    func run() throws {
        guard unsafe access(file, F_OK) != 0 else { throw Failure("\(file) is there already") }
        let all = try (PasskeySelection.unlocked() ?? PasskeySelection.all(.list)).passkeys
        let shared = all.filter { $0.kind == .synchronizable }
        let consent = try OwnerConsent.ofTransfer(.handOut(shared.count))
        let passkeys = try shared.map { try ImportedPasskey($0, PasskeyItems.secrets(of: $0, by: consent)) }
        let document = CXFWriter.document(
            passwords: [],
            passkeys: passkeys,
            timestamp: Int64(time(nil)),
            identifier: { RandomBytes.make(16) }
        )
        do throws(SystemError) {
            let output = try NewFile(beside: file, mode: 0o600)
            try output.write(unsafe document.withUnsafeBytes { unsafe Array($0) })
            try output.commit(replacing: false)
        } catch {
            throw Failure("\(file) cannot be made: \(error.reason)")
        }
        for passkey in all where passkey.kind == .thisDevice {
            PasskeysTool.complain(
                "not written, since it never leaves this device: \(TerminalText.escaped(passkey.site.id))"
            )
        }
        try PasskeysTool.print("Wrote \(passkeys.count) of \(all.count) to \(TerminalText.escaped(file)).")
    }
}

extension ImportedPasskey {
    /// - Throws: if the passkey has no valid private key.
    fileprivate init(_ passkey: Passkey, _ secrets: PasskeySecrets) throws {
        self.init()
        guard case .scalar(let scalar) = secrets.key,
            let key = unsafe scalar.withUnsafeBytes({ unsafe try? P256.Signing.PrivateKey(rawRepresentation: $0) })
        else { throw Failure("a passkey has no private key that can be written") }
        credentialID = passkey.id
        site = passkey.site.id
        userName = passkey.user.name
        userDisplayName = passkey.user.displayName
        userHandle = passkey.user.id
        self.key = SecretBytes(key.derRepresentation)
        seeds = Seeds(verified: secrets.verifiedSeed, unverified: secrets.unverifiedSeed)
        blob = secrets.blob
    }
}
