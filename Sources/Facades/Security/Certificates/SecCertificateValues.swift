public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

/// Everything that a certificate says, for people to read.
///
/// - Parameters:
///   - certificate: what is described.
///   - keys: the identifiers of the fields and extensions that are wanted (`kSecOID…`); nil for all of them.
///   - error: receives `errSecDecode` for a certificate that cannot be read.
/// - Returns: a dictionary of fields by their identifiers. Each is a dictionary with `kSecPropertyKeyType`,
///   `kSecPropertyKeyLabel`, `kSecPropertyKeyLocalizedLabel` and `kSecPropertyKeyValue`; the value of a section is an array
///   of such dictionaries. A date is a number of seconds since 2001-01-01, as on macOS.
///
/// See [SecCertificateCopyValues](https://developer.apple.com/documentation/security/seccertificatecopyvalues(_:_:_:)).
@discardableResult
public func SecCertificateCopyValues(
    _ certificate: SecCertificate,
    _ keys: CFArray?,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        let wanted = keys.map { Set($0.compactMap { $0 as? String }) }
        let values = NSMutableDictionary()
        for property in try certificate.readableContents().properties(fingerprinting: certificate.bytes) {
            guard wanted?.contains(property.identifier) ?? true else { continue }
            values[property.identifier as NSString] = property.dictionary
        }
        return values.copy() as? NSDictionary
    }
}

/// Everything that a certificate says, as text of many lines.
///
/// - Parameter error: receives `errSecDecode` for a certificate that cannot be read.
@discardableResult
public func SecCertificateCopyLongDescription(
    _ alloc: CFAllocator?,
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        let properties = try certificate.readableContents().properties(fingerprinting: certificate.bytes)
        return properties.map { $0.text(indented: 0) }.joined() as NSString
    }
}

/// What a certificate is in one line: the summary of its subject.
///
/// - Parameter error: receives `errSecDecode` for a certificate that cannot be read.
@discardableResult
public func SecCertificateCopyShortDescription(
    _ alloc: CFAllocator?,
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        (try certificate.readableContents().summary ?? "Certificate without a subject") as NSString
    }
}
