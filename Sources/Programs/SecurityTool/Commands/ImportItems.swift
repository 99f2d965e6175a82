import ArgumentParser
import CoreFoundationAliases
import Foundation
import Security
import Terminal

struct ImportItems: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the keys and certificates of a file.",
        discussion: """
            Files are PEM, or in DER certificates, PKCS #12, PKCS #7, PKCS #8 and OpenSSL's own keys; what a file is, is \
            found out. What is there already is left as it is; if all of it is, the command fails.

            EXAMPLES
              An identity, asking for the passphrase on the terminal:
                security import alice.p12
              A key and its certificate:
                security import key.pem && security import certificate.pem
            """
    )

    static let syntax =
        ExchangeArguments.syntax + ScopeOptions.syntax
        + OptionSyntax(
            flags: ["w", "wrapped", "x", "non-extractable", "A", "any-application"],
            valued: ["t", "type", "f", "format", "T", "trusted-application"]
        )

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Option(
        name: .shortAndLong,
        help: "Import only these: pub, priv, cert, or agg for all. Of PKCS #12, all are imported."
    )
    var type: ImportedType?

    @Option(name: .shortAndLong, help: "The file's format: openssl, bsafe, pkcs7, pkcs8, pkcs12, x509 or pemseq.")
    var format: ExchangeFormat?

    @Flag(name: [.customShort("w"), .long], help: "No effect: the command detects whether keys are encrypted.")
    var wrapped = false

    @Flag(name: [.customShort("x"), .long], help: "Mark private keys: export does not write them.")
    var nonExtractable = false

    @Flag(name: [.customShort("A"), .long], help: "No effect; accepted for scripts from a Mac.")
    var anyApplication = false

    @Option(name: [.customShort("T"), .long], help: "No effect; accepted for scripts from a Mac.")
    var trustedApplication: [String] = []

    @OptionGroup var exchange: ExchangeArguments
    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions

    enum ImportedType: String, CaseIterable, ExpressibleByArgument {
        case pub
        case priv
        case cert
        case agg

        fileprivate func isWanted(_ object: Any) -> Bool {
            switch (self, object) {
            case (.agg, _), (.cert, is SecCertificate): return true
            case (.pub, let key as SecKey), (.priv, let key as SecKey):
                let attributes = SecKeyCopyAttributes(key)
                let isPublic = attributes?[kSecAttrKeyClass] as? NSString == kSecAttrKeyClassPublic
                return isPublic == (self == .pub)
            default: return false
            }
        }
    }

    func run() throws {
        do {
            try importFile()
        } catch {
            // A Mac has one exit status for all of them.
            throw error.exitStatus == Console.usageStatus ? error : Failure(error.message)
        }
    }

    private func importFile() throws(Failure) {
        try KeychainArguments.select(exchange.keychain, for: Failure.Operation.importFile.rawValue)
        let objects = try objects(in: FileContents.read(file), passphrase: exchange.passphrase)
        var counts: [(name: String, count: Int)] = [("identity", 0), ("key", 0), ("certificate", 0)]
        var duplicate: Failure?
        for object in objects {
            let status = SecItemAdd(item(object), nil)
            switch status {
            case errSecSuccess:
                let index = object is SecIdentity ? 0 : object is SecKey ? 1 : 2
                counts[index].count += 1
            case errSecDuplicateItem: duplicate = Failure(.importFile, status)
            default: throw Failure(.importFile, status)
            }
        }
        let added = counts.filter { $0.count > 0 }
        if added.isEmpty { throw duplicate ?? Failure(.importFile, errSecItemNotFound) }
        for (name, count) in added {
            let plural = name == "identity" ? "identities" : name + "s"
            try Console.print("\(count) \(count == 1 ? name : plural) imported.\n")
        }
    }

    private func objects(in data: Data, passphrase: String?) throws(Failure) -> [Any] {
        // A key of PKCS #8 may be encrypted or not.
        var format = format == .pkcs8 ? SecExternalFormat.formatUnknown : format?.format ?? .formatUnknown
        var itemType = SecExternalItemType.itemTypeUnknown
        var items: CFArray?
        let status = unsafe SecItemImportExportKeyParameters.with(passphrase) { parameters in
            unsafe SecItemImport(data as CFData, file as NSString, &format, &itemType, [], parameters, nil, &items)
        }
        if status == errSecPassphraseRequired, passphrase == nil {
            let answer = try PasswordPrompt.password("passphrase of \(TerminalText.escaped(file)): ")
            return try objects(in: data, passphrase: String(decoding: answer, as: UTF8.self))
        }
        guard status == errSecSuccess else { throw Failure(.importFile, status) }
        // As on a Mac, all of a PKCS #12 file is imported.
        let isWhole = format == .formatPKCS12
        return (items ?? []).map { $0 }.filter { isWhole || type?.isWanted($0) ?? true }
    }

    private func item(_ object: Any) -> CFDictionary {
        var item: [CFString: Any] = [kSecValueRef: object]
        item[kSecAttrAccessGroup] = scope.group
        if scope.synchronizable { item[kSecAttrSynchronizable] = true }
        if nonExtractable, !(object is SecCertificate) { item["extr" as NSString] = false }
        return item as CFDictionary
    }
}
