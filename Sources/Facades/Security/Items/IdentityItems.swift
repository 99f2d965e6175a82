import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

// What the calls do with the object of an identity: it is stored as a certificate and a key.

/// Adds the certificate, then the key. If the key is refused, a certificate that was new is taken back.
///
/// - Returns: nil where nothing was asked for.
/// - Throws: `duplicateItem` where both halves are there.
func addedIdentity(_ parts: QueryParser.IdentityParts, _ attributes: CFDictionary) throws(KeychainError) -> AddedObject?
{
    var certificate = try QueryParser.add(parts.ofCertificate)
    var key = try QueryParser.add(parts.ofKey)
    let returns = key.returns
    // No objects of the halves, and nothing that needs a prompt.
    certificate.returns = [.attributes, .persistentReference]
    key.returns = certificate.returns
    let service = try CurrentKeychain.service()
    let newCertificate = try nilIfDuplicate { () throws(KeychainError) in try service.add(certificate) }
    let newKey: FoundItem?
    do throws(KeychainError) {
        newKey = try nilIfDuplicate { () throws(KeychainError) in try service.add(key) }
    } catch {
        if let newCertificate {
            var query = ItemQuery(itemClass: .certificate)
            query.reference = newCertificate.reference
            query.synchronizable = .any
            var deletion = DeleteRequest(query: query)
            deletion.leavesTombstone = false
            _ = try? service.delete(deletion)
        }
        throw error
    }
    guard newCertificate != nil || newKey != nil else {
        throw KeychainError(.duplicateItem, "the certificate and the key of the identity are there already")
    }
    guard !returns.isEmpty else { return nil }
    var storedCertificate = newCertificate
    if storedCertificate == nil { storedCertificate = try stored(parts.ofCertificate, in: service) }
    var storedKey = newKey
    if storedKey == nil { storedKey = try stored(parts.ofKey, in: service) }
    guard let storedCertificate, let storedKey, let uuid = storedCertificate.reference.uuid else { throw notFound }
    var shown = storedKey.attributes
    for entry in storedCertificate.attributes.entries { shown[entry.key] = entry.value }
    let data = try parts.key.derivedAttributes.data
    let builder = ResultBuilder(
        itemClass: .identity,
        returns: returns,
        isAddition: true,
        dictionary: attributes
    )
    let item = FoundItem(
        reference: PersistentReference(itemClass: .identity, uuid: uuid),
        attributes: shown,
        accessControl: storedCertificate.accessControl,
        secrets: returns.contains(.data) ? [.valueData: data] : [:],
        object: data,
        sha1: nil,
        certificate: IdentityCertificate(
            data: SecretBytes(parts.certificateData),
            tokenID: storedCertificate.attributes[.tokenID]
        )
    )
    return AddedObject(value: try builder.object(for: item))
}

private func nilIfDuplicate(_ add: () throws(KeychainError) -> FoundItem?) throws(KeychainError) -> FoundItem? {
    do throws(KeychainError) {
        return try add()
    } catch {
        guard error.code == .duplicateItem else { throw error }
        return nil
    }
}

/// The item that stood in the way of a half.
private func stored(
    _ entries: QueryParser.Entries,
    in service: any KeychainService
) throws(KeychainError) -> FoundItem? {
    let telling: Set<String> = ["class", "v_Ref", "agrp", "sync"]
    var request = try QueryParser.copy(entries.filter { telling.contains($0.key) })
    request.returns = [.attributes, .persistentReference]
    return try service.find(request).first
}

/// Changes the key, which is the half that may be refused, and then the certificate.
///
/// - Throws: `itemNotFound` where one of them is not there.
func update(
    _ parts: QueryParser.IdentityParts,
    changes: QueryParser.Entries
) throws(KeychainError) {
    let ofKey = try QueryParser.update(parts.ofKey, changes: changes)
    let ofCertificate = try QueryParser.update(parts.ofCertificate, changes: changes)
    try ofKey.changes.requireFitForIdentity()
    let service = try CurrentKeychain.service()
    guard try !service.find(FindRequest(query: ofCertificate.query)).isEmpty else { throw notFound }
    guard try service.update(ofKey) > 0, try service.update(ofCertificate) > 0 else { throw notFound }
}

/// Deletes the certificates of identities that match, and their keys if no other certificate has them.
func deleteIdentities(_ request: DeleteRequest) throws(KeychainError) {
    let service = try CurrentKeychain.service()
    var search = FindRequest(query: request.query)
    search.limit = .all
    search.returns = .persistentReference
    let found = try service.find(search)
    var seen: Set<[UInt8]> = []
    for item in found where seen.insert(item.reference.bytes).inserted {
        var deletion = request
        deletion.query = ItemQuery(itemClass: .identity)
        deletion.query.reference = item.reference
        deletion.query.synchronizable = .any
        _ = try service.delete(deletion)
    }
    guard !seen.isEmpty else { throw notFound }
}
