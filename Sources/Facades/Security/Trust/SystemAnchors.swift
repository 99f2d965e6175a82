public import CoreFoundationAliases
public import Foundation

/// Gives the anchors of the system.
///
/// - Returns: `errSecSuccess`; `errSecTrustNotAvailable` where the system has none.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    errSecTrustNotAvailable
}
