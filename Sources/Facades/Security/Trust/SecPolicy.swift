public import CoreFoundationAliases
public import Foundation

/// What a certificate and its chain have to be good for.
///
/// Two of them are equal when they ask for the same.
public final class SecPolicy: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and these values are all there is to the object.

    /// One of the `kSecPolicyApple…` identifiers.
    let identifier: String
    /// The host or the address that the certificate must be for; nil if it may be for any.
    let name: String?
    /// Whether the certificate is a client's.
    let isClient: Bool
    /// How revocation is checked, if this policy asks for that.
    let revocationFlags: CFOptionFlags?
    /// The team that signed, for passes.
    let teamIdentifier: String?

    init(
        identifier: String,
        name: String? = nil,
        isClient: Bool = false,
        revocationFlags: CFOptionFlags? = nil,
        teamIdentifier: String? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.isClient = isClient
        self.revocationFlags = revocationFlags
        self.teamIdentifier = teamIdentifier
    }

    /// What two equal policies have in common.
    private var content: [AnyHashable?] {
        [identifier, name, isClient, revocationFlags, teamIdentifier]
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecPolicy)?.content == content
    }

    public override var hash: Int {
        content.hashValue
    }

    public override var description: String {
        "<SecPolicyRef: \(identifier)>"
    }

    public override var debugDescription: String { description }
}

extension SecPolicy: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0005
}

/// The type identifier of policies.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID {
    SecPolicy.cfTypeID
}

/// What a policy asks for: its identifier (`kSecPolicyOid`), and those of `kSecPolicyName`, `kSecPolicyClient`,
/// `kSecPolicyRevocationFlags` and `kSecPolicyTeamIdentifier` that it has.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    var properties: [CFString: Any] = [kSecPolicyOid: policyRef.identifier as NSString]
    if let name = policyRef.name { properties[kSecPolicyName] = name as NSString }
    if policyRef.isClient { properties[kSecPolicyClient] = NSNumber(value: true) }
    if let flags = policyRef.revocationFlags { properties[kSecPolicyRevocationFlags] = NSNumber(value: flags) }
    if let team = policyRef.teamIdentifier { properties[kSecPolicyTeamIdentifier] = team as NSString }
    return properties as NSDictionary
}
