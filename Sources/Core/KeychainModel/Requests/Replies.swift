/// An item on its way to a caller who may have it, with as much of it as was asked for.
package struct FoundItem: Sendable {
    package let reference: PersistentReference
    /// All attributes, with those in clear columns; empty if they were not asked for.
    package let attributes: AttributeList
    package let accessControl: AccessControl
    /// The value and the other secret attributes; empty if they were not asked for.
    package let secrets: [AttributeKey: SecretBytes]
    /// What the object of `kSecReturnRef` is made of: the data of a certificate or a key, of an identity that of its key; nil
    /// if it was not asked for.
    package let object: SecretBytes?
    /// The item's SHA-1; nil where the secret was not opened.
    package let sha1: [UInt8]?
    /// The certificate of an identity; nil for all else, and if attributes were not asked for.
    package let certificate: IdentityCertificate?

    package init(
        reference: PersistentReference,
        attributes: AttributeList,
        accessControl: AccessControl,
        secrets: [AttributeKey: SecretBytes],
        object: SecretBytes? = nil,
        sha1: [UInt8]?,
        certificate: IdentityCertificate? = nil
    ) {
        self.reference = reference
        self.attributes = attributes
        self.accessControl = accessControl
        self.secrets = secrets
        self.object = object
        self.sha1 = sha1
        self.certificate = certificate
    }
}

/// What an identity's attributes tell of its certificate beside the certificate's attributes.
package struct IdentityCertificate: Sendable {
    /// The certificate itself (DER); nil where it is stored without data.
    package let data: SecretBytes?
    /// The token that it is on.
    package let tokenID: AttributeValue?

    package init(data: SecretBytes?, tokenID: AttributeValue?) {
        self.data = data
        self.tokenID = tokenID
    }
}
