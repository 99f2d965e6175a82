public import CoreFoundationAliases
public import Foundation

@_implementationOnly import SwiftASN1

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
}

extension SecCertificate: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0002
}

/// The type identifier of certificates.
public func SecCertificateGetTypeID() -> CFTypeID {
    SecCertificate.cfTypeID
}

/// Makes a certificate from its DER form.
///
/// - Returns: nil for anything that has not the shape of a certificate (RFC 5280, section 4.1): a sequence of the
///   part that is signed, an algorithm and a signature.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    let bytes = Data(referencing: data)
    return hasShapeOfCertificate(Array(bytes)) ? SecCertificate(der: bytes) : nil
}

/// The DER form of a certificate.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    certificate.der as NSData
}

private func hasShapeOfCertificate(_ bytes: [UInt8]) -> Bool {
    guard let root = try? DER.parse(bytes) else { return false }
    let isCertificate = try? DER.sequence(root, identifier: .sequence) { nodes in
        let parts = [nodes.next(), nodes.next(), nodes.next()].compactMap { $0?.identifier }
        return parts == [.sequence, .sequence, .bitString]
    }
    return isCertificate ?? false
}
