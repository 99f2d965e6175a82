import KeychainModel
import SSHAgentProtocol

/// A key of the agent's in the keychain.
struct KeptKey {
    enum Private {
        case inEnclave(EnclaveKey)
        /// In an item of its own, which is read when the key is used.
        case inItem(PersistentReference)
    }

    let stored: StoredKey
    /// The item that the key, or the certificate, is.
    let reference: PersistentReference
    let itemClass: ItemClass
    let half: Private

    /// What finds its item and no other.
    var query: ItemQuery { Self.query(itemClass, reference) }

    static func query(_ itemClass: ItemClass, _ reference: PersistentReference) -> ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        query.reference = reference
        query.synchronizable = .any
        return query
    }
}

extension KeptKey {
    /// - Returns: nil unless the item is a Secure Enclave key that ssh can use.
    init?(enclaveItem item: FoundItem) {
        guard let bytes = item.secrets[.valueData]?.copied, let key = EnclaveKey(bytes),
            key.publicKey.algorithm == .p256
        else { return nil }
        stored = StoredKey(
            publicKey: SSHPublicKey(.ecdsa(.p256, point: key.publicKey.externalRepresentation)),
            comment: SSHComment(labelOf: item),
            isInEnclave: true,
            asksOwner: key.header.accessControl.useAsks
        )
        reference = item.reference
        itemClass = .key
        half = .inEnclave(key)
    }

    /// - Returns: nil for an item that is no key.
    init?(item: FoundItem) {
        guard case .data(let blob) = item.attributes[.generic], let key = try? SSHPublicKey(blob) else { return nil }
        stored = StoredKey(
            publicKey: key,
            comment: SSHComment(labelOf: item),
            isInEnclave: false,
            asksOwner: item.accessControl.valueAsks
        )
        reference = item.reference
        itemClass = .genericPassword
        half = .inItem(item.reference)
    }

    /// The key with what an item certifies of it; nil for an item that is no certificate of this key.
    func certified(by item: FoundItem) -> KeptKey? {
        guard let blob = item.secrets[.valueData]?.copied, let certified = try? SSHPublicKey(blob),
            certified.certificate != nil, certified.plain == stored.publicKey
        else { return nil }
        return KeptKey(
            stored: StoredKey(
                publicKey: certified,
                comment: SSHComment(labelOf: item),
                isInEnclave: stored.isInEnclave,
                asksOwner: stored.asksOwner
            ),
            reference: item.reference,
            itemClass: .genericPassword,
            half: half
        )
    }
}

extension SSHComment {
    /// What an item is called.
    fileprivate init(labelOf item: FoundItem) {
        switch item.attributes[.label] {
        case .string(let text): self.init(text: text)
        case .data(let bytes): self = SSHComment(bytes) ?? ""
        default: self = ""
        }
    }
}

extension AccessControl {
    /// Whether the use of a private key needs a person, who proves to be there or types its password.
    fileprivate var useAsks: Bool { keyUseDemand != .nothing || keyUseNeedsApplicationPassword }
    /// The same of the value.
    fileprivate var valueAsks: Bool { demand != .nothing || needsApplicationPassword }
}
