public import CoreFoundationAliases
public import Foundation
import SecurityObjects

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainTrust

/// Gives the anchors of the system.
///
/// - Returns: `errSecSuccess`; `errSecTrustNotAvailable` where the system has none.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    let system = try? ForkGuard.holdingOffForks { SystemAnchors.current().certificates }
    let certificates = (system ?? [])
        .compactMap { SecCertificateCreateWithData(nil, NSData(copying: $0)) }
    guard !certificates.isEmpty else { return errSecTrustNotAvailable }
    unsafe anchors.pointee = array(of: certificates)
    return errSecSuccess
}
