import Foundation
public import Security

@c(SecCertificateGetTypeID)
public func secCertificateGetTypeID() -> CFTypeID { SecType.certificate.identifier }

@c(SecCertificateCreateWithData)
public func secCertificateCreateWithData(
    _ allocator: UnsafeRawPointer?,
    _ data: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let data = unsafe IncomingObject.data(data) else { return nil }
    return unsafe OutgoingObject.object(SecCertificateCreateWithData(nil, data))
}

@c(SecCertificateCopyData)
public func secCertificateCopyData(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    guard let certificate = unsafe IncomingObject.certificate(certificate) else { return nil }
    return unsafe OutgoingObject.object(SecCertificateCopyData(certificate))
}
