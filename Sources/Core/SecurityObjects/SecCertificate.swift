public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates

/// An X.509 certificate.
public final class SecCertificate: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and these bytes are all there is to the object.
    package let der: Data

    fileprivate init(der: Data) {
        self.der = der
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecCertificate)?.der == der
    }

    public override var hash: Int {
        der.hashValue
    }

    /// Subject and issuer in one line, as on Apple's systems.
    public override var description: String {
        let contents = CertificateContents(der: Array(der))
        let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        return "<cert(0x\(address)) s: \(contents?.summary ?? "") i: \(contents?.issuerSummary ?? "")>"
    }

    public override var debugDescription: String { description }
}

extension SecCertificate: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0002
}

/// The type identifier of certificates.
@discardableResult
public func SecCertificateGetTypeID() -> CFTypeID {
    SecCertificate.cfTypeID
}

/// Makes a certificate from its DER form.
///
/// - Returns: nil for anything that is no certificate (RFC 5280, section 4.1). What is behind it is left out. Signatures
///   are not verified, and algorithms and keys may be of any kind.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    CertificateContents.first(in: Array(Data(referencing: data))).map { SecCertificate(der: Data($0)) }
}

/// The DER form of a certificate.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    certificate.der as NSData
}
