public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainTrust

// What is changed here makes an earlier outcome void.

/// Replaces the policies.
///
/// - Parameter policies: a policy, or an array of them.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and for none.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let policies = objects(SecPolicy.self, in: policies), !policies.isEmpty else { return errSecParam }
    trust.change { $0.policies = policies }
    return errSecSuccess
}

/// Gives the policies as an array.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    unsafe policies.pointee = array(of: trust.settings.policies)
    return errSecSuccess
}

/// Makes certificates the anchors, in place of the system's; nil makes the system's anchors those again.
///
/// - Returns: `errSecSuccess`; `errSecParam` for anything that is no certificate.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    var anchors: [SecCertificate]?
    if let anchorCertificates {
        anchors = objects(SecCertificate.self, in: anchorCertificates)
        guard anchors != nil else { return errSecParam }
    }
    let given = anchors
    trust.change { settings in
        settings.anchors = given
        settings.trustsOwnAnchorsOnly = true
    }
    return errSecSuccess
}

/// Says whether the system's anchors are trusted beside those of `SecTrustSetAnchorCertificates`.
///
/// - Parameter anchorCertificatesOnly: false trusts both.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.change { $0.trustsOwnAnchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// Gives the anchors of `SecTrustSetAnchorCertificates`, nil if there are none.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust,
    _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe anchors.pointee = trust.settings.anchors.map(array)
    return errSecSuccess
}

/// Evaluates for another moment than now.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    let date = Date(timeIntervalSinceReferenceDate: verifyDate.timeIntervalSinceReferenceDate)
    trust.change { $0.date = date }
    return errSecSuccess
}

/// The moment for which is evaluated.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    (trust.settings.date ?? Date()).timeIntervalSinceReferenceDate
}

/// Says whether servers may be asked about revocation.
///
/// They are asked when the trust object is evaluated, if a policy of revocation names a method
/// (`kSecRevocationOCSPMethod`, `kSecRevocationCRLMethod`) and none has `kSecRevocationNetworkAccessDisabled`. Such an
/// evaluation can take ten seconds. It needs libcurl. Issuers are not fetched.
///
/// Without a call with true nothing is asked, whatever `SecTrustGetNetworkFetchAllowed` gives.
///
/// See [SecTrustSetNetworkFetchAllowed](https://developer.apple.com/documentation/security/sectrustsetnetworkfetchallowed(_:_:)).
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    trust.change { $0.mayFetch = allowFetch }
    return errSecSuccess
}

/// Gives what `SecTrustSetNetworkFetchAllowed` said; else true where one of the policies is that of TLS, as with Apple,
/// although nothing is asked then.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust,
    _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    let settings = trust.settings
    let isTLS = settings.policies.contains { $0.identifier == String(describing: kSecPolicyAppleSSL) }
    unsafe allowFetch.pointee = DarwinBoolean(settings.mayFetch ?? isTLS)
    return errSecSuccess
}

/// Takes answers about revocation (OCSP responses, RFC 6960) that came with the certificate, as a TLS server sends them.
///
/// They are looked at under every policy. One counts if it is about a certificate of the chain, signed by its issuer or
/// by somebody with a certificate of the issuer's for that purpose, and in force at the moment of evaluation. Then a
/// certificate that was revoked is `errSecCertificateRevoked`. Others are as if they were not there.
///
/// - Parameter responseData: data, an array of data, or nil for none. They replace those of an earlier call.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, for more than 32 and for more than 1 MiB of one.
///
/// See [SecTrustSetOCSPResponse](https://developer.apple.com/documentation/security/sectrustsetocspresponse(_:_:)).
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    let responses = responseData.map { objects(NSData.self, in: $0) } ?? []
    guard let responses, responses.count <= RevocationCheck.mostResponses,
        responses.allSatisfy({ $0.length <= RevocationCheck.mostBytes })
    else { return errSecParam }
    let staples = responses.map { [UInt8](Data(referencing: $0)) }
    trust.change { $0.staples = staples }
    return errSecSuccess
}

/// Takes time stamps of the public logs that came with the certificate.
///
/// - Returns: `errSecUnimplemented`: they are not looked at. `errSecSuccess` for nil; `errSecParam` for anything else
///   than an array of data.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(_ trust: SecTrust, _ sctArray: CFArray?) -> OSStatus {
    guard let sctArray else { return errSecSuccess }
    return objects(NSData.self, in: sctArray) == nil ? errSecParam : errSecUnimplemented
}

/// Lets pass what `SecTrustCopyExceptions` recorded, as far as it was recorded for the same certificate.
///
/// - Parameter exceptions: nil takes earlier ones back.
/// - Returns: whether the exceptions are for this certificate.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    let given = exceptions.flatMap { TrustExceptions($0, of: trust.settings.certificates) }
    trust.change { $0.exceptions = given }
    return given != nil
}

/// Says what an evaluation lets pass (macOS).
///
/// `requireRevPerCert` is the one that lets less pass: it stands for a policy of revocation with
/// `kSecRevocationUseAnyAvailableMethod` and `kSecRevocationRequirePositiveResponse`.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetOptions(_ trustRef: SecTrust, _ options: SecTrustOptionFlags) -> OSStatus {
    trustRef.change { $0.options = options }
    return errSecSuccess
}

/// Says in which keychain files to look for issuers (macOS). There are no such files: it has no effect.
@available(*, deprecated, message: "SecTrustSetKeychains is not supported")
@discardableResult
public func SecTrustSetKeychains(_ trust: SecTrust, _ keychainOrArray: CFTypeRef?) -> OSStatus {
    errSecSuccess
}

/// An array of objects. Straight from them: an array of `Any` would be cast back.
func array(of objects: [some AnyObject]) -> NSArray {
    let array = NSMutableArray(capacity: objects.count)
    for object in objects { array.add(object) }
    return NSArray(array: array)
}
