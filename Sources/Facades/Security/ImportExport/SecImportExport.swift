public import CoreFoundationAliases
public import Foundation

/// Takes the identities and certificates out of a PKCS #12 file. There are no private keys yet: `errSecUnimplemented`.
///
/// - Parameters:
///   - pkcs12_data: the file.
///   - options: `kSecImportExportPassphrase`.
///   - items: untouched.
///
/// See [SecPKCS12Import](https://developer.apple.com/documentation/security/secpkcs12import(_:_:_:)).
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData,
    _ options: CFDictionary,
    _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    errSecUnimplemented
}

/// Writes keys and certificates in a form that other programs read. It is `errSecUnimplemented` so far.
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
    errSecUnimplemented
}

/// Reads keys and certificates that other programs wrote. It is `errSecUnimplemented` so far.
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
    errSecUnimplemented
}
