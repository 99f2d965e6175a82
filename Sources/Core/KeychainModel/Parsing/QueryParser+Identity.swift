/// An identity is not stored: what is said of the object of one is said of its certificate and of its key.
extension QueryParser {
    private static func identity(in entries: Entries) -> (certificate: [UInt8], key: ItemReference)? {
        var found: (certificate: [UInt8], key: ItemReference)?
        for case ("v_Ref", .reference(.identity(let certificate, let key))) in entries { found = (certificate, key) }
        return found
    }

    /// The dictionaries of the two items that an identity is.
    package struct IdentityParts: Sendable {
        /// The certificate itself (DER).
        package let certificateData: [UInt8]
        package let key: ItemReference
        package let ofCertificate: Entries
        package let ofKey: Entries
    }

    /// Takes a dictionary apart whose `kSecValueRef` is an identity.
    ///
    /// Each half gets the attributes that items of its class have. A certificate is not secret, so that of an access
    /// control it gets the protection alone.
    ///
    /// - Returns: nil for every other dictionary.
    /// - Throws: `noSuchClass` where `kSecClass` is another one; `noSuchAttribute` for an attribute that neither half has;
    ///   `invalidParameter` where the dictionary has a value beside the object.
    package static func identityParts(_ entries: Entries) throws(KeychainError) -> IdentityParts? {
        guard let found = identity(in: entries) else { return nil }
        // It says what is wrong with the dictionary as a whole.
        let dictionary = try QueryDictionary(entries, role: .add)
        guard !entries.contains(where: { $0.key == "v_Data" }) else {
            throw KeychainError(.invalidParameter, "a certificate and a key do not have the same data")
        }
        let rest = entries.filter { !["class", "v_Ref"].contains($0.key) }
        func part(_ itemClass: ItemClass, _ object: ItemReference) -> Entries {
            let own = rest.filter { entry in
                guard entry.key.utf16.count == 4, let key = AttributeKey(entry.key) else { return true }
                return AttributeTable.attribute(key, of: itemClass) != nil
            }
            return own + [("class", .string(itemClass.rawValue)), ("v_Ref", .reference(object))]
        }
        var ofCertificate = part(.certificate, .certificate(found.certificate))
        if let index = ofCertificate.firstIndex(where: { $0.key == AttributeKey.accessControl.description }),
            let control = dictionary.accessControl
        {
            ofCertificate.remove(at: index)
            if dictionary.accessibility == nil, case .accessibility(let accessibility) = control.protection {
                ofCertificate.append((AttributeKey.accessible.description, .string(accessibility.rawValue)))
            }
        }
        // Where the enclave's key has to be, its certificate is to be too.
        if dictionary.accessGroup == nil, let group = try found.key.derivedAttributes.accessGroup {
            ofCertificate.append((AttributeKey.accessGroup.description, .string(group)))
        }
        return IdentityParts(
            certificateData: found.certificate,
            key: found.key,
            ofCertificate: ofCertificate,
            ofKey: part(.key, found.key)
        )
    }
}
