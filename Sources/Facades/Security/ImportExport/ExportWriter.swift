import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainExchange
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// Writes keys and certificates as files.
@_implementationOnly
struct ExportWriter {
    let passphrase: SecretBytes?
    let isText: Bool

    @_implementationOnly
    private enum Item {
        case certificate(SecCertificate)
        case publicKey(PublicKey)
        case privateKey(PrivateKey)
        case identity(SecIdentity)
    }

    /// - Parameter object: a certificate, a key, an identity, or an array of them.
    func data(of object: CFTypeRef, _ format: SecExternalFormat) throws(ExchangeFailure) -> NSData {
        let items = try items(object)
        switch format == .formatUnknown ? Self.defaultFormat(of: items) : format {
        case .formatPEMSequence: return try sequence(items)
        case .formatPKCS7: return block(.pkcs7, CertificateBundle.encoded(try certificates(of: items).map(\.bytes)))
        case .formatPKCS12: return block(.other("PKCS12"), try pkcs12(items))
        case .formatX509Cert:
            guard items.count == 1, let certificate = try certificates(of: items).first else {
                throw .unsupportedFormat
            }
            return block(.certificate, certificate.bytes)
        case .formatOpenSSL:
            switch try only(items) {
            case .publicKey(let key): return block(.publicKey, key.subjectPublicKeyInfo)
            case .privateKey(let key): return try openSSL(key)
            case .certificate, .identity: throw .unsupportedFormat
            }
        case .formatBSAFE:
            switch try only(items) {
            case .publicKey(let key):
                guard case .rsa = key.kind else { throw .unsupportedFormat }
                return block(.rsaPublicKey, key.externalRepresentation)
            case .privateKey(let key): return block(.privateKey, secret: try info(key))
            case .certificate, .identity: throw .unsupportedFormat
            }
        case .formatWrappedPKCS8:
            guard case .privateKey(let key) = try only(items) else { throw .unsupportedFormat }
            return block(.encryptedPrivateKey, try wrapped(key))
        case .formatUnknown, .formatSSH, .formatRawKey, .formatWrappedOpenSSL, .formatWrappedSSH, .formatWrappedLSH,
            .formatNetscapeCertSequence, .formatSSHv2:
            throw .unsupportedFormat
        }
    }

    private func items(_ object: CFTypeRef) throws(ExchangeFailure) -> [Item] {
        var items: [Item] = []
        for object in object as? [Any] ?? [object] {
            switch object {
            case let certificate as SecCertificate: items.append(.certificate(certificate))
            case let identity as SecIdentity: items.append(.identity(identity))
            case let key as SecKey:
                items.append(key.material.privateKey.map { .privateKey($0) } ?? .publicKey(key.publicKey))
            default: throw .parameter
            }
        }
        guard !items.isEmpty else { throw .parameter }
        return items
    }

    private static func defaultFormat(of items: [Item]) -> SecExternalFormat {
        guard items.count == 1, let item = items.first else { return .formatPEMSequence }
        switch item {
        case .certificate: return .formatX509Cert
        case .publicKey, .privateKey: return .formatOpenSSL
        case .identity: return .formatPEMSequence
        }
    }

    private func only(_ items: [Item]) throws(ExchangeFailure) -> Item {
        guard items.count == 1, let item = items.first else { throw .unsupportedFormat }
        return item
    }

    /// The certificates, also those of identities.
    private func certificates(of items: [Item]) throws(ExchangeFailure) -> [SecCertificate] {
        var certificates: [SecCertificate] = []
        for item in items {
            switch item {
            case .certificate(let certificate): certificates.append(certificate)
            case .identity(let identity): certificates.append(identity.certificate)
            case .publicKey, .privateKey: throw .unsupportedFormat
            }
        }
        return certificates
    }

    // MARK: - Formats

    /// Blocks one after the other. Private keys are encrypted if there is a passphrase.
    private func sequence(_ items: [Item]) throws(ExchangeFailure) -> NSData {
        let writer = ExportWriter(passphrase: passphrase, isText: true)
        let text = NSMutableData()
        for item in items {
            switch item {
            case .certificate(let certificate): text.append(writer.block(.certificate, certificate.bytes) as Data)
            case .publicKey(let key): text.append(writer.block(.publicKey, key.subjectPublicKeyInfo) as Data)
            case .privateKey(let key): text.append(try writer.block(key) as Data)
            case .identity(let identity):
                text.append(writer.block(.certificate, identity.certificate.bytes) as Data)
                if let key = identity.privateKey.material.privateKey { text.append(try writer.block(key) as Data) }
            }
        }
        return text
    }

    private func block(_ key: PrivateKey) throws(ExchangeFailure) -> NSData {
        passphrase == nil ? try openSSL(key) : block(.encryptedPrivateKey, try wrapped(key))
    }

    private func openSSL(_ key: PrivateKey) throws(ExchangeFailure) -> NSData {
        try ExchangeFailure.translating { () throws(KeychainError) in
            switch key.backing {
            case .rsa(let key): return block(.rsaPrivateKey, secret: key.externalRepresentation)
            case .ellipticCurve(let key):
                guard let key = key as? CurvePrivateKey else {
                    throw KeychainError(.unimplemented, "a private key does not leave the Secure Enclave")
                }
                return block(.ellipticCurvePrivateKey, secret: try key.sec1())
            }
        }
    }

    private func info(_ key: PrivateKey) throws(ExchangeFailure) -> SecretBytes {
        try ExchangeFailure.translating { () throws(KeychainError) in try key.pkcs8 }
    }

    private func wrapped(_ key: PrivateKey) throws(ExchangeFailure) -> [UInt8] {
        let info = try info(key)
        guard let passphrase else { throw .passphraseRequired }
        return try ExchangeFailure.translating { () throws(KeychainError) in
            try EncryptedPrivateKeyInfo.seal(info, password: passphrase)
        }
    }

    private func pkcs12(_ items: [Item]) throws(ExchangeFailure) -> [UInt8] {
        var contents = PKCS12Contents()
        func add(_ key: PrivateKey, _ name: String?) throws(ExchangeFailure) {
            contents.keys.append(
                .init(privateKey: try info(key), friendlyName: name, localKeyID: key.publicKey.applicationLabel)
            )
        }
        var seen: Set<[UInt8]> = []
        func add(_ certificate: SecCertificate, isOfKey: Bool) {
            guard seen.insert(certificate.bytes).inserted else { return }
            contents.certificates.append(
                .init(
                    der: certificate.bytes,
                    friendlyName: certificate.contents?.summary,
                    localKeyID: isOfKey ? certificate.contents?.publicKeyHash : nil
                )
            )
        }
        let keys = items.compactMap {
            if case .privateKey(let key) = $0 { key.publicKey.applicationLabel } else { nil }
        }
        for item in items {
            switch item {
            case .certificate(let certificate):
                add(certificate, isOfKey: certificate.contents.map { keys.contains($0.publicKeyHash) } ?? false)
            case .publicKey: throw .unsupportedFormat
            case .privateKey(let key): try add(key, nil)
            case .identity(let identity):
                add(identity.certificate, isOfKey: true)
                guard let key = identity.privateKey.material.privateKey else { continue }
                try add(key, identity.certificate.contents?.summary)
            }
        }
        guard let passphrase else { throw .passphraseRequired }
        return try ExchangeFailure.translating { () throws(KeychainError) in
            try contents.encoded(password: passphrase)
        }
    }

    // MARK: - Text or not

    private func block(_ kind: PEMBlock.Kind, _ bytes: [UInt8]) -> NSData {
        NSData(copying: isText ? PEM.encode(kind, bytes) : bytes)
    }

    private func block(_ kind: PEMBlock.Kind, secret: SecretBytes) -> NSData {
        (isText ? PEM.encode(kind, secret: secret) : secret).object
    }
}
