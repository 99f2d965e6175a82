import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainExchange
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// What a file had in it.
struct ImportedItems {
    /// Certificates, keys and identities.
    var objects: [NSObject] = []
    var format = SecExternalFormat.formatUnknown

    /// What all of them are.
    var type: SecExternalItemType {
        let types = Set(objects.map(Self.type))
        return types.count == 1 && objects.count == 1 ? types.first ?? .itemTypeUnknown : .itemTypeAggregate
    }

    var privateKeyCount: Int {
        objects.count { [.itemTypePrivateKey, .itemTypeAggregate].contains(Self.type(of: $0)) }
    }

    private static func type(of object: NSObject) -> SecExternalItemType {
        switch object {
        case is SecCertificate: .itemTypeCertificate
        case let key as SecKey: key.material.isPrivate ? .itemTypePrivateKey : .itemTypePublicKey
        // An identity.
        default: .itemTypeAggregate
        }
    }
}

/// Reads files of keys and certificates, of whichever kind they are.
@_implementationOnly
struct ImportReader {
    let passphrase: SecretBytes?
    /// The only format that is wanted; unknown for any.
    var format = SecExternalFormat.formatUnknown
    /// The name of the file, or what is behind the dot.
    var name = ""

    /// - Throws: `unknownFormat` for what is none of them.
    func items(in bytes: [UInt8]) throws(ExchangeFailure) -> ImportedItems {
        let beginning = Array("-----BEGIN ".utf8)
        if bytes.starts(with: beginning) || bytes.contains(beginning) {
            let blocks = try ExchangeFailure.translating { () throws(KeychainError) in try PEM.blocks(in: bytes) }
            if !blocks.isEmpty { return try items(in: blocks) }
        }
        return try items(inDER: bytes)
    }

    private func allows(_ formats: SecExternalFormat...) -> Bool {
        format == .formatUnknown || formats.contains(format)
    }

    // MARK: - Text

    private func items(in blocks: [PEMBlock]) throws(ExchangeFailure) -> ImportedItems {
        var items = ImportedItems()
        var count = 0
        for block in blocks {
            guard let found = try self.items(in: block) else { continue }
            items.objects += found.objects
            items.format = found.format
            count += 1
        }
        guard count > 0 else { throw .unknownFormat }
        if count > 1 || format == .formatPEMSequence { items.format = .formatPEMSequence }
        // OpenSSL itself writes text of all of these kinds.
        guard count > 1 || allows(items.format) || [.formatPEMSequence, .formatOpenSSL].contains(format) else {
            throw .unknownFormat
        }
        return items
    }

    /// Nil for what is neither key nor certificate, such as the parameters of a curve.
    private func items(in block: PEMBlock) throws(ExchangeFailure) -> ImportedItems? {
        switch block.kind {
        case .certificate: return try one(certificate(block.bytes), .formatX509Cert)
        case .privateKey: return try one(privateKey(block), .formatBSAFE)
        case .encryptedPrivateKey: return try one(privateKey(block), .formatWrappedPKCS8)
        case .rsaPrivateKey, .ellipticCurvePrivateKey:
            return try one(privateKey(block), block.isEncrypted ? .formatWrappedOpenSSL : .formatOpenSSL)
        case .publicKey: return try one(publicKey(PublicKey(subjectPublicKeyInfo: block.bytes)), .formatOpenSSL)
        case .rsaPublicKey: return try one(publicKey(PublicKey(rsa: block.bytes)), .formatBSAFE)
        case .pkcs7: return try certificates(inPKCS7: block.bytes)
        case .other("PKCS12"): return try pkcs12(block.bytes)
        case .certificateRequest, .other: return nil
        }
    }

    private func privateKey(_ block: PEMBlock) throws(ExchangeFailure) -> SecKey {
        try privateKey { () throws(KeychainError) in try block.privateKey(password: passphrase) }
    }

    // MARK: - Without text

    private func items(inDER bytes: [UInt8]) throws(ExchangeFailure) -> ImportedItems {
        if allows(.formatX509Cert), let certificate = try? certificate(bytes) {
            return one(certificate, .formatX509Cert)
        }
        let isNamedPKCS12 = ["p12", "pfx"].contains(name.split(separator: ".").last?.lowercased())
        if allows(.formatPKCS12), format == .formatPKCS12 || isNamedPKCS12 || Self.isPKCS12(bytes) {
            return try pkcs12(bytes)
        }
        if allows(.formatPKCS7), let items = try? certificates(inPKCS7: bytes) { return items }
        if allows(.formatOpenSSL), let key = PublicKey(subjectPublicKeyInfo: bytes) {
            return one(SecKey(key), .formatOpenSSL)
        }
        if allows(.formatBSAFE), let key = PublicKey(rsa: bytes) { return one(SecKey(key), .formatBSAFE) }
        let secret = SecretBytes(bytes)
        if allows(.formatBSAFE), let key = try? PrivateKey(pkcs8: secret) {
            return one(SecKey(.privateKey(key)), .formatBSAFE)
        }
        if allows(.formatOpenSSL), let key = Self.openSSLKey(secret) {
            return one(SecKey(.privateKey(key)), .formatOpenSSL)
        }
        guard allows(.formatWrappedPKCS8) else { throw .unknownFormat }
        do throws(ExchangeFailure) {
            let key = try privateKey { () throws(KeychainError) in
                try EncryptedPrivateKeyInfo.open(bytes, password: passphrase)
            }
            return one(key, .formatWrappedPKCS8)
        } catch {
            // Nothing says what it is, so that it need not be a key at all.
            throw error.error.code == .undecodable ? .unknownFormat : error
        }
    }

    /// Whether bytes begin as a PFX does: a sequence, and in it version 3.
    private static func isPKCS12(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[0] == 0x30 else { return false }
        let lengthBytes = bytes[1] > 0x80 ? Int(bytes[1] & 0x7F) : 0
        return bytes.dropFirst(2 + lengthBytes).starts(with: [0x02, 0x01, 0x03])
    }

    private static func openSSLKey(_ secret: SecretBytes) -> PrivateKey? {
        let info = (try? PrivateKeyInfo.wrapping(rsa: secret)) ?? (try? PrivateKeyInfo.wrapping(ellipticCurve: secret))
        return info.flatMap { try? PrivateKey(pkcs8: $0) }
    }

    // MARK: - Parts

    private func one(_ object: NSObject, _ format: SecExternalFormat) -> ImportedItems {
        ImportedItems(objects: [object], format: format)
    }

    private func certificate(_ bytes: [UInt8]) throws(ExchangeFailure) -> SecCertificate {
        guard let certificate = SecCertificateCreateWithData(nil, NSData(copying: bytes)) else {
            throw ExchangeFailure(KeychainError(.undecodable, "a certificate cannot be read"))
        }
        return certificate
    }

    private func publicKey(_ key: PublicKey?) throws(ExchangeFailure) -> SecKey {
        guard let key else { throw ExchangeFailure(KeychainError(.undecodable, "a public key cannot be read")) }
        return SecKey(key)
    }

    private func privateKey(
        _ info: () throws(KeychainError) -> SecretBytes
    ) throws(ExchangeFailure) -> SecKey {
        try decrypting(wrongPassphrase: errSecAuthFailed) { () throws(KeychainError) in
            SecKey(.privateKey(try PrivateKey(pkcs8: info())))
        }
    }

    private func certificates(inPKCS7 bytes: [UInt8]) throws(ExchangeFailure) -> ImportedItems {
        let found = try ExchangeFailure.translating { () throws(KeychainError) in
            try CertificateBundle.certificates(in: bytes)
        }
        var items = ImportedItems(format: .formatPKCS7)
        for bytes in found { items.objects.append(try certificate(bytes)) }
        return items
    }

    /// Identities, then the certificates and the keys that belong to none.
    private func pkcs12(_ bytes: [UInt8]) throws(ExchangeFailure) -> ImportedItems {
        let file = try decrypting(wrongPassphrase: errSecPkcs12VerifyFailure) { () throws(KeychainError) in
            try PKCS12File(bytes, passphrase: passphrase)
        }
        let paired = Set(file.identities.map(\.certificateIndex))
        let others = file.certificates.indices.filter { !paired.contains($0) }.map { file.certificates[$0] }
        return ImportedItems(objects: file.identities.map(\.identity) + others + file.otherKeys, format: .formatPKCS12)
    }

    /// Where there is no passphrase, a wrong one is one that is missing.
    private func decrypting<Value>(
        wrongPassphrase: OSStatus,
        _ body: () throws(KeychainError) -> Value
    ) throws(ExchangeFailure) -> Value {
        try ExchangeFailure.translating(
            wrongPassphrase: passphrase == nil ? errSecPassphraseRequired : wrongPassphrase,
            body
        )
    }
}
