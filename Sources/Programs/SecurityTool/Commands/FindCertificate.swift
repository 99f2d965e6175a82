import ArgumentParser
import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

struct FindCertificate: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-certificate",
        abstract: "Find a certificate.",
        discussion: """
            Prints the first certificate that matches, with -a all of them, or fails with status 44 if there is none.

            EXAMPLES
              A certificate as a file:
                security find-certificate -c example.com -p >example.pem
              The fingerprints of all:
                security find-certificate -a -Z | grep hash
            """
    )

    static let syntax =
        ScopeOptions.syntax
        + OptionSyntax(
            flags: ["a", "all", "m", "print-email", "p", "pem", "Z", "hash"],
            valued: ["c", "name", "e", "email"]
        )

    @Flag(name: .shortAndLong, help: "All that match, not only the first.")
    var all = false

    @Option(name: [.customShort("c"), .long], help: "The common name, or a part of it, in capitals or not.")
    var name: String?

    @Option(name: [.customShort("e"), .long], help: "The e-mail address.")
    var email: String?

    @Flag(name: [.customShort("m"), .long], help: "Print the e-mail addresses.")
    var printEmail = false

    @Flag(name: [.customShort("p"), .long], help: "Print the certificate as PEM.")
    var pem = false

    @Flag(name: [.customShort("Z"), .long], help: "Print its SHA-256 and SHA-1 hashes.")
    var hash = false

    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func run() throws {
        var isFound = false
        var failure: Failure?
        for keychain in try files.searched(for: Failure.Operation.search.rawValue) {
            var certificates: [Listed] = []
            do throws(Failure) { certificates = try self.certificates(in: keychain) } catch {
                // Another keychain may have the one that is looked for; a part of all would be taken for all.
                if all { throw error }
                failure = failure ?? error
            }
            for certificate in certificates where matches(certificate.text) {
                isFound = true
                try print(certificate)
                if !all { return }
            }
        }
        if let failure, !isFound { throw failure }
        // As on a Mac, all of nothing is no error.
        if !isFound, !all { throw Failure(.search, errSecItemNotFound) }
    }

    private struct Listed {
        let text: CertificateText
        let attributes: [String: Any]
        let keychain: String
    }

    private func certificates(in keychain: NamedKeychain) throws(Failure) -> [Listed] {
        keychain.select()
        guard keychain != .anchors else {
            var anchors: CFArray?
            let status = unsafe SecTrustCopyAnchorCertificates(&anchors)
            guard status == errSecSuccess else { throw Failure(.search, status) }
            let path = try keychain.path()
            return (anchors ?? []).compactMap { $0 as? SecCertificate }
                .map { Listed(text: $0.text, attributes: $0.text.attributes, keychain: path) }
        }
        let path = AttributePrinter.currentKeychain
        var listed: [Listed] = []
        for item in try ItemSearch(.certificate, in: scope).all() {
            guard let der = try item.password() else { continue }
            listed.append(Listed(text: CertificateText(der: der), attributes: item.attributes, keychain: path))
        }
        return listed
    }

    private func print(_ certificate: Listed) throws(Failure) {
        let text = certificate.text
        if hash { try Console.print("SHA-256 hash: \(text.sha256)\nSHA-1 hash: \(text.sha1)\n") }
        if printEmail, !text.emailAddresses.isEmpty {
            let addresses = text.emailAddresses.map { TerminalText.escaped($0) }
            try Console.print("email addresses: \(addresses.joined(separator: ", "))\n")
        }
        try Console.print(
            pem ? text.pem : AttributePrinter(certificate.keychain).text(.certificate, certificate.attributes)
        )
    }

    private func matches(_ text: CertificateText) -> Bool {
        if let email, !text.emailAddresses.contains(where: { $0.lowercased() == email.lowercased() }) { return false }
        guard let name else { return true }
        guard let certificate = text.certificate else { return false }
        var common: CFString?
        guard unsafe SecCertificateCopyCommonName(certificate, &common) == errSecSuccess, let common else {
            return false
        }
        return String(describing: common).lowercased().contains(name.lowercased())
    }
}
