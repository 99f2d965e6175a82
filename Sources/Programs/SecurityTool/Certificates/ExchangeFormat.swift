import ArgumentParser
import CoreFoundationAliases
import Foundation
import Security

/// The formats of files, by the names that macOS's command has for them.
enum ExchangeFormat: String, CaseIterable, ExpressibleByArgument {
    case openssl
    case bsafe
    case pkcs7
    case pkcs8
    case pkcs12
    case x509
    case pemseq

    var format: SecExternalFormat {
        switch self {
        case .openssl: .formatOpenSSL
        case .bsafe: .formatBSAFE
        case .pkcs7: .formatPKCS7
        case .pkcs8: .formatWrappedPKCS8
        case .pkcs12: .formatPKCS12
        case .x509: .formatX509Cert
        case .pemseq: .formatPEMSequence
        }
    }
}

/// The keychain of a Mac's command line (`-k`), and whom its items were for.
struct ExchangeArguments: ParsableArguments {
    @Option(name: .shortAndLong, help: "The keychain, instead of the default one.")
    var keychain: String?

    @Option(
        name: [.customShort("P"), .long],
        help: "The passphrase of the file. Other users can see it while the command runs; without it, it is asked for."
    )
    var passphrase: String?

    static let syntax = OptionSyntax(valued: ["k", "keychain", "P", "passphrase"])
}

extension SecItemImportExportKeyParameters {
    /// Lends parameters with a passphrase.
    static func with(
        _ passphrase: String?,
        _ body: (UnsafePointer<SecItemImportExportKeyParameters>?) -> OSStatus
    ) -> OSStatus {
        let object = passphrase.map { $0 as NSString }
        var parameters = unsafe SecItemImportExportKeyParameters()
        unsafe parameters.passphrase = object.map { unsafe Unmanaged.passUnretained($0) }
        return withExtendedLifetime(object) { unsafe body(&parameters) }
    }
}
