public import CoreFoundationAliases
public import Foundation

/// Makes the policy of a plain chain of X.509 certificates (RFC 5280).
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy {
    SecPolicy(identifier: String(describing: kSecPolicyAppleX509Basic))
}

/// Makes the policy of TLS.
///
/// - Parameters:
///   - server: whether the certificate is a server's; a client's otherwise.
///   - hostname: the host name or the IP address that a server's certificate must be for; nil if it may be for any.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(
        identifier: String(describing: kSecPolicyAppleSSL),
        name: hostname.map { String(describing: $0) },
        isClient: !server
    )
}

/// Makes the policy of revocation, to be evaluated beside others.
///
/// - Parameter revocationFlags: some of the `kSecRevocation…` flags.
/// - Returns: nil for no flags and for unknown ones.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    let known =
        kSecRevocationUseAnyAvailableMethod | kSecRevocationPreferCRL | kSecRevocationRequirePositiveResponse
        | kSecRevocationNetworkAccessDisabled
    guard revocationFlags != 0, revocationFlags & ~known == 0 else { return nil }
    return SecPolicy(
        identifier: String(describing: kSecPolicyAppleRevocation),
        revocationFlags: revocationFlags
    )
}

/// Makes a policy of any kind.
///
/// - Parameters:
///   - policyIdentifier: one of the `kSecPolicyApple…` constants.
///   - properties: those of `kSecPolicyName` (a string), `kSecPolicyClient` (a Boolean), `kSecPolicyRevocationFlags`
///     (a number) and `kSecPolicyTeamIdentifier` (a string) that the policy has. Others are ignored.
/// - Returns: nil for an unknown identifier, for a property of the wrong type, and where a
///   required property is missing: the flags of a revocation policy, the name of a pass.
@discardableResult
public func SecPolicyCreateWithProperties(_ policyIdentifier: CFTypeRef, _ properties: CFDictionary?) -> SecPolicy? {
    guard let identifier = (policyIdentifier as? NSString).map({ String(describing: $0) }),
        knownIdentifiers.contains(identifier)
    else { return nil }
    let given = PolicyProperties(properties)
    guard let given else { return nil }
    switch identifier {
    case String(describing: kSecPolicyAppleRevocation):
        return given.revocationFlags.flatMap(SecPolicyCreateRevocation)
    case String(describing: kSecPolicyApplePassbookSigning) where given.name == nil || given.teamIdentifier == nil:
        return nil
    default:
        return SecPolicy(
            identifier: identifier,
            name: given.name,
            isClient: given.isClient,
            teamIdentifier: given.teamIdentifier
        )
    }
}

/// The properties that a caller gives a policy; nil if one has a value of the wrong type.
private struct PolicyProperties {
    var name: String?
    var isClient = false
    var revocationFlags: CFOptionFlags?
    var teamIdentifier: String?

    init?(_ dictionary: CFDictionary?) {
        var isValid = true
        unsafe dictionary?.enumerateKeysAndObjects { key, value, _ in
            switch (key as? String, value) {
            case (String(describing: kSecPolicyName), let text as String): name = text
            case (String(describing: kSecPolicyTeamIdentifier), let text as String): teamIdentifier = text
            case (String(describing: kSecPolicyClient), let flag as NSNumber) where isBoolean(flag):
                isClient = flag.boolValue
            case (String(describing: kSecPolicyRevocationFlags), let flags as NSNumber) where !isBoolean(flags):
                revocationFlags = CFOptionFlags(exactly: flags.int64Value)
            case (String(describing: kSecPolicyName), _), (String(describing: kSecPolicyTeamIdentifier), _),
                (String(describing: kSecPolicyClient), _), (String(describing: kSecPolicyRevocationFlags), _):
                isValid = false
            default: break
            }
        }
        guard isValid else { return nil }
    }
}

private let knownIdentifiers: Set<String> = Set(
    [
        kSecPolicyAppleX509Basic, kSecPolicyAppleSSL, kSecPolicyAppleSMIME, kSecPolicyAppleEAP, kSecPolicyAppleIPsec,
        kSecPolicyApplePKINITClient, kSecPolicyApplePKINITServer, kSecPolicyAppleCodeSigning,
        kSecPolicyMacAppStoreReceipt, kSecPolicyAppleIDValidation, kSecPolicyAppleTimeStamping,
        kSecPolicyAppleRevocation, kSecPolicyApplePassbookSigning,
    ].map { String(describing: $0) }
)
