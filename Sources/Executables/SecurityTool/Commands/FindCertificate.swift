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

    @Option(name: [.customShort("c"), .long], help: "The common name, or a part of it.")
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
        try files.check()
        var isFound = false
        for item in try ItemSearch(.certificate, in: scope).all() {
            guard let data = try item.password() else { continue }
            let text = CertificateText(der: data)
            guard matches(text) else { continue }
            isFound = true
            if hash { try Console.print("SHA-256 hash: \(text.sha256)\nSHA-1 hash: \(text.sha1)\n") }
            if printEmail {
                for address in text.emailAddresses {
                    try Console.print("email address: \(AttributeText.quoted(address))\n")
                }
            }
            try Console.print(pem ? text.pem : AttributePrinter().text(for: item))
            if !all { break }
        }
        if !isFound { throw Failure(.search, errSecItemNotFound) }
    }

    private func matches(_ text: CertificateText) -> Bool {
        if let email, !text.emailAddresses.contains(where: { $0.lowercased() == email.lowercased() }) { return false }
        guard let name else { return true }
        guard let certificate = text.certificate else { return false }
        var common: CFString?
        guard unsafe SecCertificateCopyCommonName(certificate, &common) == errSecSuccess, let common else {
            return false
        }
        return String(describing: common).contains(name)
    }
}
