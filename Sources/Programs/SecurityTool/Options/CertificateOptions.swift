import ArgumentParser
import Foundation
import Glibc
import KeychainExchange
import KeychainModel
import Terminal

/// Whom and what a new certificate is for, and where it is written.
struct CertificateOptions: ParsableArguments {
    @Argument(help: "The label of the private key.")
    var name: String

    @Option(
        name: .shortAndLong,
        help:
            "Whom it is for, such as /C=DE/O=Bakery/CN=Alice (the common name is the key's label where none is given)."
    )
    var subject: SubjectName?

    @Option(help: "A host name of the subject's. This and the next three may be given several times.")
    var dns: [String] = []

    @Option(help: "An e-mail address.")
    var email: [String] = []

    @Option(help: "An IP address.")
    var ip: [IPAddressOption] = []

    @Option(help: "A URI.")
    var uri: [String] = []

    @Option(help: "What the key is for: serverAuth, clientAuth, codeSigning or emailProtection.")
    var purpose: [CertificatePurpose] = []

    @Flag(help: "Write DER instead of PEM.")
    var der = false

    @Option(
        name: [.customShort("o"), .long],
        help: "The file to write, instead of standard output.",
        completion: .file()
    )
    var output: String?

    static let syntax = OptionSyntax(
        flags: ["der"],
        valued: ["s", "subject", "dns", "email", "ip", "uri", "purpose", "o", "output"]
    )

    var subjectParts: [NamePart] { (subject ?? SubjectName(commonName: name)).parts }

    var extensions: ExtensionList {
        var extensions = ExtensionList()
        extensions.keyUsage = .digitalSignature
        extensions.extendedKeyUsage = purpose.map(\.identifier)
        extensions.alternativeNames =
            dns.map { .dns($0) } + email.map { .emailAddress($0) } + ip.map { .ipAddress($0.bytes) }
            + uri.map { .uri($0) }
        return extensions
    }

    func write(_ kind: PEMBlock.Kind, _ bytes: [UInt8]) throws(Failure) {
        try FileContents.write(Data(der ? bytes : PEM.encode(kind, bytes)), to: output)
    }
}

/// An address of version 4 or 6, as `inet_pton` reads it.
struct IPAddressOption: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            if unsafe inet_pton(family, argument, &bytes) == 1 {
                self.bytes = bytes
                return
            }
        }
        return nil
    }
}
