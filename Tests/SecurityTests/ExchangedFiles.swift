import Foundation
import KeychainTestSupport
import Security

/// Files as `openssl` writes them: an authority, and a holder of a key and a certificate.
struct ExchangedFiles {
    let certificate: Data
    let authority: Data
    /// PKCS #8.
    let key: Data
    private let files: [String: Data]

    enum Kind: CaseIterable {
        case rsa
        case p256
        case p384

        var arguments: [String] {
            switch self {
            case .rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            }
        }
    }

    init(_ kind: Kind = .p256) throws {
        (files, certificate, authority, key) = try OpenSSL.inFolder { folder in
            func run(_ arguments: String...) throws -> Data { try OpenSSL.run(arguments, in: folder) }
            try OpenSSL.run(["genpkey"] + kind.arguments + ["-out", "key.pem"], in: folder)
            _ = try run(
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-keyout",
                "ca.key",
                "-out",
                "ca.pem",
                "-subj",
                "/CN=Authority"
            )
            _ = try run("req", "-new", "-key", "key.pem", "-subj", "/CN=Alice", "-out", "request.pem")
            _ = try run(
                "x509",
                "-req",
                "-in",
                "request.pem",
                "-CA",
                "ca.pem",
                "-CAkey",
                "ca.key",
                "-CAcreateserial",
                "-out",
                "alice.pem"
            )
            let names = ["key.pem", "ca.pem", "alice.pem", "request.pem"]
            let files = try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) }
            )
            return (
                files, try run("x509", "-in", "alice.pem", "-outform", "DER"),
                try run("x509", "-in", "ca.pem", "-outform", "DER"),
                try run("pkcs8", "-topk8", "-nocrypt", "-in", "key.pem", "-outform", "DER")
            )
        }
    }

    /// What a command of `openssl` writes, among the files key.pem, alice.pem, ca.pem and request.pem.
    func openssl(_ arguments: String..., adding more: [String: Data] = [:]) throws -> Data {
        try openssl(arguments, adding: more)
    }

    func openssl(_ arguments: [String], adding more: [String: Data] = [:]) throws -> Data {
        try OpenSSL.inFolder { folder in
            for (name, data) in files.merging(more, uniquingKeysWith: { $1 }) {
                try data.write(to: folder.appending(path: name))
            }
            return try OpenSSL.run(arguments, in: folder)
        }
    }

    /// What OpenSSL writes of the key and a file's certificates.
    func pkcs12(of certificates: String, password: String, adding more: [String: Data] = [:]) throws -> Data {
        let options = ["-inkey", "key.pem", "-in", certificates, "-passout", "pass:\(password)"]
        return try openssl(["pkcs12", "-export"] + options, adding: more)
    }

    func text(_ name: String) -> Data { files[name] ?? Data() }
}

/// What an import or an export said, with the result.
struct Imported {
    let status: OSStatus
    let items: [Any]?
    let format: SecExternalFormat
    let type: SecExternalItemType

    var certificates: [Data] {
        (items ?? []).compactMap { ($0 as? SecCertificate).map { SecCertificateCopyData($0) as Data } }
    }
    var keys: [SecKey] { (items ?? []).compactMap { $0 as? SecKey } }
    var identities: [SecIdentity] { (items ?? []).compactMap { $0 as? SecIdentity } }
}

func importing(
    _ data: Data,
    name: String? = nil,
    as format: SecExternalFormat = .formatUnknown,
    passphrase: Any? = nil,
    flags: SecKeyImportExportFlags = []
) -> Imported {
    var format = format
    var type = SecExternalItemType.itemTypeUnknown
    var items: CFArray?
    let status = withParameters(passphrase, flags) {
        SecItemImport(data as CFData, name as CFString?, &format, &type, [], $0, nil, &items)
    }
    return Imported(status: status, items: items as? [Any], format: format, type: type)
}

func exporting(
    _ object: Any,
    _ format: SecExternalFormat,
    text: Bool = false,
    passphrase: Any? = nil
) -> (status: OSStatus, data: Data?) {
    var data: CFData?
    let status = withParameters(passphrase, []) {
        SecItemExport(object as CFTypeRef, format, text ? .pemArmour : [], $0, &data)
    }
    return (status, data as Data?)
}

private func withParameters(
    _ passphrase: Any?,
    _ flags: SecKeyImportExportFlags,
    _ body: (UnsafePointer<SecItemImportExportKeyParameters>?) -> OSStatus
) -> OSStatus {
    let object = passphrase.map { $0 as CFTypeRef }
    var parameters = SecItemImportExportKeyParameters()
    parameters.flags = flags
    parameters.passphrase = object.map { Unmanaged.passUnretained($0) }
    return withExtendedLifetime(object) { withUnsafePointer(to: parameters, body) }
}
