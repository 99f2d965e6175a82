import Foundation
import KeychainMessages
import KeychainModel

extension WireQuery {
    init(_ query: ItemQuery) {
        self.init()
        itemClass = WireItemClass(query.itemClass)
        if let reference = query.reference { self.reference = Data(reference.bytes) }
        filters = query.filters.wire
        if let group = query.accessGroup { accessGroup = group }
        if let accessibility = query.accessibility { self.accessibility = accessibility.rawValue }
        if case .only(let isSynchronizable) = query.synchronizable { self.isSynchronizable = isSynchronizable }
        findsTombstones = query.findsTombstones
        if let sha1 = query.sha1 { self.sha1 = Data(sha1) }
        if let host = query.hostOrSubdomain { hostOrSubdomain = host }
        if !query.certificate.isEmpty { certificate = WireCertificateFilter(query.certificate) }
        wantsExplanation = query.wantsExplanation
    }
}

extension ItemQuery {
    /// Reads a query as the parser of dictionaries could have made it.
    ///
    /// - Parameter isSearch: whether it may ask what only searches do: changes and deletions would pass over it, and meet
    ///   more items than were meant.
    /// - Throws: as the parser does for a dictionary that says the same.
    init(_ wire: WireQuery, isSearch: Bool) throws(KeychainError) {
        self.init(itemClass: try ItemClass(wire.itemClass))
        filters = try AttributeList(ofRequest: wire.filters, of: itemClass)
        accessGroup = try wire.hasAccessGroup ? String.accessGroup(wire.accessGroup) : nil
        accessibility = try Accessibility(wire: wire.hasAccessibility ? wire.accessibility : nil)
        synchronizable = wire.hasIsSynchronizable ? .only(wire.isSynchronizable) : .any
        findsTombstones = wire.findsTombstones
        if wire.hasSha1 {
            guard wire.sha1.count == 20 else {
                throw KeychainError(.invalidParameter, "a request has a SHA-1 of another length than 20 bytes")
            }
            sha1 = Array(wire.sha1)
        }
        if wire.hasReference { try take(reference: Array(wire.reference)) }
        hostOrSubdomain = wire.hasHostOrSubdomain ? wire.hostOrSubdomain : nil
        certificate = wire.hasCertificate ? try CertificateFilter(wire.certificate) : CertificateFilter()
        wantsExplanation = wire.wantsExplanation
        try requireFilters(isSearch: isSearch)
    }

    /// A persistent reference names one item, and nothing beside it but groups that the caller has to be entitled to.
    private mutating func take(reference bytes: [UInt8]) throws(KeychainError) {
        guard let reference = PersistentReference(bytes) else {
            throw KeychainError(.invalidParameter, "the persistent reference is malformed")
        }
        guard reference.itemClass == itemClass else {
            throw KeychainError(.noSuchClass, "the persistent reference is of another class")
        }
        guard filters.entries.allSatisfy({ $0.key == .sharingGroup }), accessibility == nil, sha1 == nil,
            synchronizable == .any
        else {
            throw KeychainError(.invalidParameter, "a persistent reference goes with no other attribute")
        }
        self.reference = reference
    }

    private func requireFilters(isSearch: Bool) throws(KeychainError) {
        guard isSearch || (hostOrSubdomain == nil && certificate.isEmpty) else {
            throw KeychainError(.invalidParameter, "match keys go only with SecItemCopyMatching")
        }
        guard hostOrSubdomain == nil || itemClass == .internetPassword else {
            throw KeychainError(.unimplemented, "only internet passwords are matched by host")
        }
        guard certificate.isEmpty || itemClass == .certificate || itemClass == .identity else {
            throw KeychainError(.unimplemented, "this class is not matched by what stands in certificates")
        }
    }
}

extension String {
    /// The name of an access group, which is an attribute like others.
    ///
    /// - Throws: `dataTooLarge`.
    static func accessGroup(_ name: String) throws(KeychainError) -> String {
        guard case .string(let group) = try AttributeKind.string.coerce(.string(name) as AttributeValue) else {
            throw KeychainError(.invalidParameter, "an access group is no text")
        }
        return group
    }
}
