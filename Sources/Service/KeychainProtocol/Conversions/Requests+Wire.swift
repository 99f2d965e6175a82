import Foundation
import KeychainMessages
import KeychainModel

extension WireReturns {
    init(_ selection: ReturnSelection) {
        self.init()
        data = selection.contains(.data)
        attributes = selection.contains(.attributes)
        reference = selection.contains(.reference)
        persistentReference = selection.contains(.persistentReference)
    }
}

extension ReturnSelection {
    init(_ wire: WireReturns) {
        self = []
        if wire.data { insert(.data) }
        if wire.attributes { insert(.attributes) }
        if wire.reference { insert(.reference) }
        if wire.persistentReference { insert(.persistentReference) }
    }
}

extension WireAdd {
    init(_ request: AddRequest) {
        self.init()
        itemClass = WireItemClass(request.itemClass)
        attributes = request.attributes.wire
        if let group = request.accessGroup { accessGroup = group }
        if let accessibility = request.accessibility { self.accessibility = accessibility.rawValue }
        if let control = request.accessControl { accessControl = WireAccessControl(control) }
        isSynchronizable = request.isSynchronizable
        isTombstone = request.isTombstone
        secrets = request.secrets.wire
        returns = WireReturns(request.returns)
        authentication = WireItemAuthentication(request.authentication)
    }
}

extension AddRequest {
    /// - Throws: as the parser of dictionaries does for one that says the same.
    init(_ wire: WireAdd) throws(KeychainError) {
        self.init(itemClass: try ItemClass(wire.itemClass))
        attributes = try AttributeList(ofRequest: wire.attributes, of: itemClass)
        accessGroup = try wire.hasAccessGroup ? String.accessGroup(wire.accessGroup) : nil
        accessibility = try Accessibility(wire: wire.hasAccessibility ? wire.accessibility : nil)
        accessControl = wire.hasAccessControl ? try AccessControl(wire.accessControl) : nil
        try accessControl?.requireAgreement(with: accessibility)
        isSynchronizable = wire.isSynchronizable
        isTombstone = wire.isTombstone
        secrets = try [AttributeKey: SecretBytes](ofRequest: wire.secrets, of: itemClass)
        returns = ReturnSelection(wire.returns)
        authentication = try ItemAuthentication(wire.authentication)
        if itemClass == .key, returns.contains(.reference) { try attributes.requireAsymmetricKey() }
    }
}

extension MatchLimit {
    /// Nil for all.
    fileprivate var wire: UInt64? {
        switch self {
        case .one: 1
        case .count(let count): UInt64(clamping: count)
        case .all: nil
        }
    }

    fileprivate init(wire: UInt64?) {
        self =
            switch wire {
            case nil: .all
            case 1: .one
            case let count?: .count(Int(clamping: count))
            }
    }
}

extension WireFind {
    init(_ request: FindRequest) {
        self.init()
        query = WireQuery(request.query)
        if let number = request.limit.wire { limit = number }
        returns = WireReturns(request.returns)
        authentication = WireItemAuthentication(request.authentication)
    }
}

extension FindRequest {
    init(_ wire: WireFind) throws(KeychainError) {
        self.init(query: try ItemQuery(wire.query, isSearch: true))
        limit = MatchLimit(wire: wire.hasLimit ? wire.limit : nil)
        returns = ReturnSelection(wire.returns)
        authentication = try ItemAuthentication(wire.authentication)
    }
}

extension WireUpdate {
    init(_ request: UpdateRequest) {
        self.init()
        query = WireQuery(request.query)
        if let number = request.limit.wire { limit = number }
        attributes = request.changes.attributes.wire
        if let group = request.changes.accessGroup { accessGroup = group }
        if let accessibility = request.changes.accessibility { self.accessibility = accessibility.rawValue }
        if let control = request.changes.accessControl { accessControl = WireAccessControl(control) }
        if let isSynchronizable = request.changes.isSynchronizable { self.isSynchronizable = isSynchronizable }
        secrets = request.changes.secrets.wire
        keepsEarlier = request.keepsEarlier
        authentication = WireItemAuthentication(request.authentication)
    }
}

extension UpdateRequest {
    init(_ wire: WireUpdate) throws(KeychainError) {
        self.init(query: try ItemQuery(wire.query, isSearch: false))
        limit = MatchLimit(wire: wire.hasLimit ? wire.limit : nil)
        changes.attributes = try AttributeList(ofRequest: wire.attributes, of: query.itemClass)
        for key: AttributeKey in [.sharingGroup, .multiUser, .modificationDate] where changes.attributes[key] != nil {
            throw KeychainError(.invalidParameter, "the attribute '\(key)' cannot be updated")
        }
        changes.accessGroup = try wire.hasAccessGroup ? String.accessGroup(wire.accessGroup) : nil
        changes.accessibility = try Accessibility(wire: wire.hasAccessibility ? wire.accessibility : nil)
        changes.accessControl = wire.hasAccessControl ? try AccessControl(wire.accessControl) : nil
        try changes.accessControl?.requireAgreement(with: changes.accessibility)
        changes.isSynchronizable = wire.hasIsSynchronizable ? wire.isSynchronizable : nil
        changes.secrets = try [AttributeKey: SecretBytes](ofRequest: wire.secrets, of: query.itemClass)
        keepsEarlier = wire.keepsEarlier
        authentication = try ItemAuthentication(wire.authentication)
    }
}

extension WireDelete {
    init(_ request: DeleteRequest) {
        self.init()
        query = WireQuery(request.query)
        if let number = request.limit.wire { limit = number }
        if let leavesTombstone = request.leavesTombstone { self.leavesTombstone = leavesTombstone }
        keepsEarlier = request.keepsEarlier
        if request.authentication.isOwners { authentication = WireItemAuthentication(request.authentication) }
    }
}

extension DeleteRequest {
    init(_ wire: WireDelete) throws(KeychainError) {
        self.init(query: try ItemQuery(wire.query, isSearch: false))
        limit = MatchLimit(wire: wire.hasLimit ? wire.limit : nil)
        leavesTombstone = wire.hasLeavesTombstone ? wire.leavesTombstone : nil
        keepsEarlier = wire.keepsEarlier
        if wire.authentication.isOwners { authentication = try ItemAuthentication(wire.authentication) }
    }
}
