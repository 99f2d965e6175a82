public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainExchange
@_implementationOnly import KeychainModel

/// Takes the identities out of a PKCS #12 file.
///
/// - Parameters:
///   - pkcs12_data: the file.
///   - options: `kSecImportExportPassphrase`, which may not be empty. As on iOS, nothing is stored. Where
///     `kSecImportToMemoryOnly` is there and false, as code for iOS never has it, the identities are stored too, and
///     `kSecAttrSynchronizable` says whether as synchronizable ones. Others are ignored.
///   - items: receives an array with a dictionary for each private key that has a certificate in the file, with
///     `kSecImportItemIdentity`, `…CertChain`, `…Trust`, `…KeyID` and, if the file names it, `…Label`; untouched on failure.
/// - Returns: `errSecSuccess`; `errSecAuthFailed` for a passphrase that is missing, empty or wrong, and a damaged file;
///   `errSecDecode` for what is no such file, and one that asks for too much work; `errSecParam` for an empty one, and
///   options of a wrong type; `errSecUnimplemented` for algorithms that are not known.
///
/// See [SecPKCS12Import](https://developer.apple.com/documentation/security/secpkcs12import(_:_:_:)).
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData,
    _ options: CFDictionary,
    _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    ExchangeFailure.status(of: "SecPKCS12Import") { () throws(ExchangeFailure) in
        guard pkcs12_data.length > 0 else { throw .parameter }
        let storage = try ImportStorage(options)
        // As on iOS: no passphrase, and an empty one, open nothing.
        guard let passphrase = try Passphrase.bytes(of: options[kSecImportExportPassphrase]), passphrase.count > 0
        else {
            throw ExchangeFailure(KeychainError(.authenticationFailed, "a passphrase is needed"))
        }
        let file = try ExchangeFailure.translating { () throws(KeychainError) in
            try PKCS12File(Array(pkcs12_data as Data), passphrase: passphrase)
        }
        if storage.isWanted {
            for identity in file.identities { try storage.store(identity) }
        }
        unsafe items.pointee = file.identities.map(\.dictionary) as NSArray
    }
}

/// Whether what is imported goes into the keychain too, and how.
@_implementationOnly
private struct ImportStorage {
    let isWanted: Bool
    private let isSynchronizable: Bool

    init(_ options: CFDictionary) throws(ExchangeFailure) {
        func flag(_ key: CFString) throws(ExchangeFailure) -> Bool? {
            guard let value = options[key] else { return nil }
            guard let flag = value as? Bool else { throw .parameter }
            return flag
        }
        isWanted = try flag(kSecImportToMemoryOnly) == false
        // It says which keychain on a Mac. Here there is one.
        _ = try flag(kSecUseDataProtectionKeychain)
        isSynchronizable = try flag(kSecAttrSynchronizable) ?? false
    }

    /// Adds an identity to the keychain. One that is there already is as good.
    func store(_ identity: PKCS12Identity) throws(ExchangeFailure) {
        let attributes: NSMutableDictionary = [kSecValueRef: identity.identity]
        if let label = identity.label { attributes[kSecAttrLabel] = label as NSString }
        if isSynchronizable { attributes[kSecAttrSynchronizable] = true as NSNumber }
        let status = SecItemAdd(attributes, nil)
        guard status == errSecSuccess || status == errSecDuplicateItem else {
            throw ExchangeFailure(storing: status)
        }
    }
}

/// Writes keys and certificates in a form that other programs read.
///
/// - Parameters:
///   - secItemOrArray: a certificate, a key, an identity, or an array of them.
///   - outputFormat: `formatX509Cert`, `formatOpenSSL` (PKCS #1 and SEC 1 for private keys, SubjectPublicKeyInfo for public
///     ones), `formatBSAFE` (PKCS #8 and PKCS #1), `formatWrappedPKCS8`, `formatPEMSequence`, `formatPKCS7` and
///     `formatPKCS12`; unknown for what is usual for the item.
///   - flags: whether it is to be text.
///   - keyParams: of which the passphrase counts: PKCS #12 and wrapped keys need one, and in a PEM sequence private keys
///     are encrypted with it.
///   - exportedData: receives the file; untouched on failure.
/// - Returns: `errSecSuccess`; `errSecPassphraseRequired`; `errSecUnsupportedFormat` for a format that is not for these
///   items; `errSecParam` for other objects; `errSecUnimplemented` for a private key of the Secure Enclave.
///
/// See [SecItemExport](https://developer.apple.com/documentation/security/secitemexport(_:_:_:_:_:)).
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef,
    _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    ExchangeFailure.status(of: "SecItemExport") { () throws(ExchangeFailure) in
        let passphrase = try unsafe Passphrase.bytes(of: keyParams?.pointee.passphrase?.takeUnretainedValue())
        let writer = ExportWriter(passphrase: passphrase, isText: flags.contains(.pemArmour))
        unsafe exportedData.pointee = try writer.data(of: secItemOrArray, outputFormat)
    }
}

/// Reads keys and certificates that other programs wrote. Nothing is stored.
///
/// - Parameters:
///   - importedData: the file: PEM, or in DER a certificate, PKCS #12, PKCS #7, PKCS #8, PKCS #1, SEC 1 or a
///     SubjectPublicKeyInfo.
///   - fileNameOrExtension: the file's name, which may help to tell what it is.
///   - inputFormat: the only format that is wanted, or unknown; receives the one that the file has.
///   - itemType: receives what is in it.
///   - flags: of no effect: whether it is text is found out.
///   - keyParams: of which the passphrase counts, and `importOnlyOne`.
///   - importKeychain: nil; there are no keychain files.
///   - outItems: receives an array of certificates, keys and, of PKCS #12, identities; untouched on failure.
/// - Returns: `errSecSuccess`; `errSecUnknownFormat`; `errSecDecode` for a part that cannot be read;
///   `errSecPassphraseRequired`; for a wrong passphrase `errSecPkcs12VerifyFailure` or, for a key, `errSecAuthFailed`;
///   `errSecMultiplePrivKeys`; `errSecParam` for an empty file.
///
/// See [SecItemImport](https://developer.apple.com/documentation/security/secitemimport(_:_:_:_:_:_:_:_:)).
@discardableResult
public func SecItemImport(
    _ importedData: CFData,
    _ fileNameOrExtension: CFString?,
    _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ importKeychain: SecKeychain?,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    ExchangeFailure.status(of: "SecItemImport") { () throws(ExchangeFailure) in
        guard importedData.length > 0 else { throw .parameter }
        guard importedData.length <= ExchangeLimits.largestFile else {
            throw ExchangeFailure(KeychainError(.dataTooLarge, "the file is larger than any that is read"))
        }
        let reader = ImportReader(
            passphrase: try unsafe Passphrase.bytes(of: keyParams?.pointee.passphrase?.takeUnretainedValue()),
            format: unsafe inputFormat?.pointee ?? .formatUnknown,
            name: fileNameOrExtension as String? ?? ""
        )
        let items = try reader.items(in: Array(importedData as Data))
        if unsafe keyParams?.pointee.flags.contains(.importOnlyOne) == true, items.privateKeyCount > 1 {
            throw .severalPrivateKeys
        }
        unsafe inputFormat?.pointee = items.format
        unsafe itemType?.pointee = items.type
        unsafe outItems?.pointee = items.objects as NSArray
    }
}

/// The passphrase of a file, as programs give it: a string, or data.
@_implementationOnly
private enum Passphrase {
    /// - Returns: nil for none.
    static func bytes(of object: Any?) throws(ExchangeFailure) -> SecretBytes? {
        switch object {
        case nil: return nil
        case let text as String: return SecretBytes(text.utf8)
        case let data as Data: return SecretBytes(data)
        default: throw .parameter
        }
    }
}
