import ArgumentParser
import CoreFoundationAliases
import Foundation
import Security
import Terminal

struct CreateKeypair: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-keypair",
        abstract: "Make a pair of keys, and store both.",
        discussion: """
            EXAMPLES
              A key for signatures:
                security create-keypair -a ec -s 256 "release signing"
              One that no program ever sees:
                security create-keypair --enclave "this machine"
            """
    )

    static let syntax =
        ScopeOptions.syntax
        + OptionSyntax(
            flags: ["A", "any-application", "enclave"],
            valued: ["a", "algorithm", "s", "size", "k", "keychain", "T", "trusted-application"]
        )

    enum Algorithm: String, CaseIterable, ExpressibleByArgument {
        case rsa
        case ec

        init?(argument: String) {
            self.init(rawValue: argument.lowercased())
        }
    }

    @Option(name: .shortAndLong, help: "The algorithm: rsa or ec.")
    var algorithm = Algorithm.rsa

    @Option(name: .shortAndLong, help: "The size in bits (by default 2048 for rsa and 256 for ec).")
    var size: Int?

    @Option(name: .shortAndLong, help: "The keychain, instead of the default one.")
    var keychain: String?

    @Flag(name: [.customShort("A"), .long], help: "No effect; accepted for scripts from a Mac.")
    var anyApplication = false

    @Option(name: [.customShort("T"), .long], help: "No effect; accepted for scripts from a Mac.")
    var trustedApplication: [String] = []

    @Argument(help: "The label of both keys.")
    var name: String?

    @Flag(help: "Make it in the Secure Enclave, on P-256, which it never leaves. (Not on a Mac.)")
    var enclave = false

    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions

    func run() throws {
        try KeychainArguments.select(keychain, for: Failure.Operation.createKeyPair.rawValue)
        let type = enclave ? .ec : algorithm
        var half: [CFString: Any] = [kSecAttrIsPermanent: true, kSecAttrLabel: name ?? "Key"]
        half[kSecAttrAccessGroup] = scope.group
        if scope.synchronizable { half[kSecAttrSynchronizable] = true }
        var parameters: [CFString: Any] = [
            kSecAttrKeyType: type == .rsa ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits: size ?? (type == .rsa ? 2048 : 256),
            kSecPrivateKeyAttrs: half, kSecPublicKeyAttrs: half,
        ]
        if enclave { parameters[kSecAttrTokenID] = kSecAttrTokenIDSecureEnclave }
        var error: Unmanaged<CFError>?
        guard unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil else { return }
        let status = unsafe OSStatus(error?.takeRetainedValue().code ?? Int(errSecParam))
        throw Failure(.createKeyPair, status)
    }
}
