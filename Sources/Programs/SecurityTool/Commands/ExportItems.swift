import ArgumentParser
import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

struct ExportItems: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write keys and certificates to a file.",
        discussion: """
            Without -o they are written to standard output. Keys in the Secure Enclave, and those that were imported with \
            -x, are left out.

            EXAMPLES
              All identities with their keys:
                security export -t identities -f pkcs12 -o identities.p12
              All certificates:
                security export -t certs -o certificates.pem
            """
    )

    static let syntax =
        ExchangeArguments.syntax + ScopeOptions.syntax
        + OptionSyntax(
            flags: ["w", "wrapped", "p", "pem"],
            valued: ["t", "type", "f", "format", "o", "output"]
        )

    enum ExportedType: String, CaseIterable, ExpressibleByArgument {
        case certs
        case allKeys
        case pubKeys
        case privKeys
        case identities
        case all
    }

    @Option(name: .shortAndLong, help: "What is written: certs, allKeys, pubKeys, privKeys, identities or all.")
    var type = ExportedType.all

    @Option(
        name: .shortAndLong,
        help: """
            The file's format: openssl, bsafe, pkcs7, pkcs8, pkcs12, x509 or pemseq (of a single key or certificate \
            openssl or x509 without it, of others pemseq).
            """
    )
    var format: ExchangeFormat?

    @Flag(name: [.customShort("w"), .long], help: "Encrypt private keys with the passphrase.")
    var wrapped = false

    @Flag(name: [.customShort("p"), .long], help: "Write text (PEM).")
    var pem = false

    @Option(
        name: [.customShort("o"), .long],
        help: "The file to write. Only you can read it.",
        completion: .file()
    )
    var output: String?

    @OptionGroup var exchange: ExchangeArguments
    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions

    func run() throws {
        try KeychainArguments.select(exchange.keychain, for: Failure.Operation.exportFile.rawValue)
        var objects: [Any] = []
        switch type {
        case .certs: objects = try found(.certificate)
        case .allKeys: objects = try found(.key)
        case .pubKeys: objects = try found(.key, [kSecAttrKeyClass: kSecAttrKeyClassPublic])
        case .privKeys: objects = try found(.key, [kSecAttrKeyClass: kSecAttrKeyClassPrivate])
        case .identities: objects = try found(.identity, [kSecAttrKeyClass: kSecAttrKeyClassPrivate])
        case .all: objects = try found(.certificate) + found(.key)
        }
        guard !objects.isEmpty else { throw Failure(.exportFile, errSecItemNotFound) }
        let data = try exported(objects.count == 1 ? objects[0] : objects, try passphrase())
        try FileContents.write(data, to: output)
    }

    /// - Throws: what the keychain refused; nothing found is no error.
    private func found(_ itemClass: ItemClass, _ more: [CFString: Any] = [:]) throws(Failure) -> [Any] {
        var query = ItemSearch(itemClass, more, in: scope).query
        query[kSecReturnRef] = true
        query[kSecReturnAttributes] = true
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return [] }
        guard status == errSecSuccess else { throw Failure(.exportFile, status) }
        var leftOut = 0
        let objects = (result as? [[String: Any]] ?? []).compactMap { entry -> Any? in
            guard let object = entry[kSecValueRef as String] else { return nil }
            let isKept = (entry["extr"] as? NSNumber)?.boolValue == false
            guard isKept, itemClass != .certificate else { return object }
            leftOut += 1
            return nil
        }
        if leftOut > 0 {
            Console.printError("security: \(leftOut) private \(leftOut == 1 ? "key" : "keys") cannot be exported\n")
        }
        return objects
    }

    private func passphrase() throws(Failure) -> String? {
        if let given = exchange.passphrase { return given }
        guard wrapped || format == .pkcs12 || format == .pkcs8 else { return nil }
        let answer = try PasswordPrompt.newPassword(
            "passphrase of the new file: ",
            again: "retype passphrase of the new file: "
        )
        return String(decoding: answer, as: UTF8.self)
    }

    private func exported(_ object: Any, _ passphrase: String?) throws(Failure) -> Data {
        var data: CFData?
        let flags: SecItemImportExportFlags = pem ? .pemArmour : []
        let status = unsafe SecItemImportExportKeyParameters.with(passphrase) { parameters in
            unsafe SecItemExport(
                object as CFTypeRef,
                format?.format ?? .formatUnknown,
                flags,
                parameters,
                &data
            )
        }
        guard status == errSecSuccess, let data else { throw Failure(.exportFile, status) }
        return data as Data
    }
}
