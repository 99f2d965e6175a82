import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// Gives the items that were found the shape that the `kSecReturn…` keys ask for
/// (https://developer.apple.com/documentation/security/item-return-result-keys).
@_implementationOnly
struct ResultBuilder {
    let itemClass: ItemClass
    let returns: ReturnSelection
    /// The result of an add shows less of the attributes, and the digest always.
    let isAddition: Bool
    /// What the call was given. It says too how the person is asked when a key that is found is used.
    let dictionary: CFDictionary

    /// The array of a search whose limit is not one. An item that has nothing to show is not in it.
    ///
    /// - Throws: `unimplemented` for a symmetric key as an object.
    func array(for items: consuming [FoundItem]) throws(KeychainError) -> NSArray {
        var items = items
        // From the end, and each item is let go of when its object is there: the objects take the memory of the items.
        var shared = SharedObjects()
        var objects: [AnyObject] = []
        objects.reserveCapacity(items.count)
        while let item = items.popLast() {
            if let object = try object(for: item, sharing: &shared) { objects.append(object) }
        }
        objects.reverse()
        // As with dictionaries: an array of `Any` would be cast back.
        return unsafe objects.withUnsafeBufferPointer { objects in
            unsafe objects.baseAddress.map { unsafe NSArray(objects: $0, count: objects.count) } ?? NSArray()
        }
    }

    /// One object if one thing is asked for, a dictionary if it is more or the attributes; nil where there is nothing.
    ///
    /// - Throws: `unimplemented` for a symmetric key as an object.
    func object(for item: FoundItem) throws(KeychainError) -> AnyObject? {
        var shared = SharedObjects()
        return try object(for: item, sharing: &shared)
    }

    private func object(
        for item: FoundItem,
        sharing shared: inout SharedObjects
    ) throws(KeychainError) -> AnyObject? {
        switch returns {
        case []: nil
        case .data:
            if let data = data(of: item) { data } else { isAddition ? NSData() : nil }
        case .persistentReference: persistentReference(of: item)
        case .reference: try reference(of: item)
        default: try dictionary(for: item, sharing: &shared)
        }
    }

    /// Nil for a key of the Secure Enclave: what stands for it is in its object.
    private func data(of item: FoundItem) -> NSData? {
        guard let data = item.secrets[.valueData] else { return nil }
        if itemClass == .key || itemClass == .identity, item.isEnclaveKey(data) { return nil }
        return data.object
    }

    /// Nil for passwords, which are no objects, for an item whose data is no certificate or key, and for an identity
    /// whose key is not its certificate's private one.
    ///
    /// - Throws: `unimplemented` for symmetric keys.
    private func reference(of item: FoundItem) throws(KeychainError) -> NSObject? {
        switch itemClass {
        case .genericPassword, .internetPassword: return nil
        case .certificate:
            return item.object.flatMap(certificate)
        case .key:
            try item.attributes.requireAsymmetricKey()
            return key(of: item)
        case .identity:
            guard let certificate = item.certificate?.data.flatMap(certificate), let key = key(of: item) else {
                return nil
            }
            return SecIdentity(certificate, key)
        }
    }

    private func certificate(_ data: SecretBytes) -> SecCertificate? {
        unsafe SecCertificateCreateWithData(nil, data.withUnsafeBytes { unsafe Data($0) } as NSData)
    }

    private func key(of item: FoundItem) -> SecKey? {
        guard let data = item.object else { return nil }
        let bytes = { unsafe data.withUnsafeBytes { unsafe Array($0) } }
        // Of an identity, the attribute is that of its certificate.
        if item.attributes.isInEnclave || itemClass == .identity && item.isEnclaveKey(data) {
            return EnclaveKey(bytes()).flatMap { EnclaveKeyHandle($0, KeyAuthentication(dictionary)) }
                .map { SecKey(.enclaveKey($0)) }
        }
        let isPrivate = item.attributes[.keyClass] == .integer(1)
        let type: KeyType? =
            if case .integer(let number) = item.attributes[.keyType] { KeyType(rawValue: Int(number)) } else { nil }
        switch (type, isPrivate) {
        case (.rsa, false): return PublicKey(rsa: bytes()).map { SecKey($0) }
        case (.ellipticCurve, false): return PublicKey(point: bytes()).map { SecKey($0) }
        case (.ed25519, false): return PublicKey(ed25519: bytes()).map { SecKey($0) }
        case (.rsa, true): return privateKey(data, .rsa)
        case (.ellipticCurve, true): return privateKey(data, .ellipticCurve)
        default: return nil
        }
    }

    private func privateKey(_ data: SecretBytes, _ family: PrivateKey.Family) -> SecKey? {
        (try? PrivateKey(externalRepresentation: data, family)).map { SecKey(.privateKey($0)) }
    }

    private func persistentReference(of item: FoundItem) -> NSData {
        NSData(copying: item.reference.bytes)
    }

    private func dictionary(
        for item: FoundItem,
        sharing shared: inout SharedObjects
    ) throws(KeychainError) -> NSDictionary {
        var keys: [NSObject] = []
        var objects: [AnyObject] = []
        keys.reserveCapacity(item.attributes.count + 4)
        objects.reserveCapacity(item.attributes.count + 4)
        func put(_ key: NSString, _ object: NSObject) {
            keys.append(key)
            objects.append(object)
        }
        if returns.wantsAttributes {
            for entry in item.attributes.entries where shows(entry.key) {
                let objects = shared.objects(for: entry)
                put(objects.name, objects.value)
            }
            let control = shared.objects(for: item.accessControl)
            put(control.name, control.value)
            if let data = item.certificate?.data {
                put("certdata", data.object)
            }
            if let tokenID = item.certificate?.tokenID { put("certtkid", tokenID.object) }
            if let sha1 = item.sha1, isAddition || returns.contains(.data) {
                put("sha1", NSData(copying: sha1))
            }
        }
        if returns.contains(.data) {
            for (key, secret) in item.secrets where key != .valueData {
                unsafe put(key.description as NSString, secret.withUnsafeBytes { unsafe Data($0) } as NSData)
            }
            if let data = data(of: item) { put("v_Data", data) }
        }
        if returns.contains(.persistentReference) { put("v_PersistentRef", persistentReference(of: item)) }
        if returns.contains(.reference) {
            put("class", itemClass.rawValue as NSString)
            if let reference = try reference(of: item) { put("v_Ref", reference) }
        }
        // Straight from objects: in an array of `Any`, each would be cast back to one.
        return unsafe objects.withUnsafeBufferPointer { objects in
            unsafe keys.withUnsafeBufferPointer { keys in
                unsafe NSDictionary(objects: objects.baseAddress, forKeys: keys.baseAddress, count: keys.count)
            }
        }
    }

    private func shows(_ key: AttributeKey) -> Bool {
        !isAddition || AttributeTable.attribute(key, of: itemClass)?.flags.contains(.returned) ?? false
    }
}

extension FoundItem {
    fileprivate func isEnclaveKey(_ data: SecretBytes) -> Bool {
        guard !attributes.isInEnclave else { return true }
        // Where the query asked for no attributes there are none, and those of an identity are its certificate's too.
        guard attributes.count == 0 || reference.itemClass == .identity else { return false }
        let key = unsafe data.withUnsafeBytes { unsafe EnclaveKey(Array($0.prefix(EnclaveKey.largest + 1))) }
        // Keys of the other algorithms are in no item by themselves.
        return key?.publicKey.point != nil
    }
}
