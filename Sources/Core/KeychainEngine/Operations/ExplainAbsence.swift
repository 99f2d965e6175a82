package import KeychainModel

extension KeychainEngine {
    /// Says in a result why nothing matched, if nothing did and the query asks for that. To be called without a
    /// transaction.
    package func explain(_ result: inout OperationResult, of operation: KeychainOperation, for caller: Caller) {
        guard let query = operation.query, query.wantsExplanation, result.isEmpty else { return }
        result.explanation = explainAbsence(of: query, for: caller)
    }

    /// Why a query matched nothing: what it would find with one of its conditions less.
    ///
    /// It asks what the caller could have asked itself, so it tells nothing of other programs' items. It names
    /// attributes, classes and the caller's own groups, and no value.
    ///
    /// - Returns: sentences for a log, never none.
    /// - Complexity: one search for each condition of the query.
    private func explainAbsence(of query: ItemQuery, for caller: Caller) -> [String] {
        var sentences = [scope(of: query, for: caller)]
        var reasons: [String] = []
        for relaxation in Relaxation.all(of: query) {
            if let reason = reason(for: relaxation, for: caller), !reasons.contains(reason) { reasons.append(reason) }
        }
        if reasons.isEmpty {
            reasons.append(
                isEmpty(query.itemClass, for: caller)
                    ? "there are no items of this class in the program's groups"
                    : "no item matches with any one condition less"
            )
        }
        sentences += reasons
        return sentences
    }

    private func scope(of query: ItemQuery, for caller: Caller) -> String {
        let names = query.accessGroup.map { [$0] } ?? caller.groups.names + caller.groups.wildcards.map { $0 + "*" }
        let synchronizable =
            switch query.synchronizable {
            case .any: "synchronizable or not"
            case .only(true): "synchronizable"
            case .only(false): "not synchronizable"
            }
        let kind = query.findsTombstones ? "tombstones" : "items"
        return "looked for \(kind) of the class '\(query.itemClass.rawValue)', \(synchronizable), in "
            + names.joined(separator: ", ")
    }

    private func reason(for relaxation: Relaxation, for caller: Caller) -> String? {
        var request = FindRequest(query: relaxation.query)
        request.query.wantsExplanation = false
        request.returns = .attributes
        do throws(KeychainError) {
            guard case .items(let items) = try perform(.find(request), for: caller).answer, let item = items.first
            else {
                return nil
            }
            return relaxation.reason(item)
        } catch {
            // What a relaxed query is refused with says nothing about this one, but for a lock.
            return error.code == .interactionNotAllowed ? "an item that may match is locked" : nil
        }
    }

    private func isEmpty(_ itemClass: ItemClass, for caller: Caller) -> Bool {
        var query = ItemQuery(itemClass: itemClass)
        query.synchronizable = .any
        return (try? perform(.find(FindRequest(query: query)), for: caller).isEmpty) ?? false
    }
}

/// A query with one condition less, and what it means if that finds something.
private struct Relaxation {
    let query: ItemQuery
    let reason: (FoundItem) -> String

    private init(_ query: ItemQuery, _ reason: @escaping (FoundItem) -> String, _ change: (inout ItemQuery) -> Void) {
        var relaxed = query
        change(&relaxed)
        self.query = relaxed
        self.reason = reason
    }

    private init(_ query: ItemQuery, _ reason: String, _ change: (inout ItemQuery) -> Void) {
        self.init(query, { _ in reason }, change)
    }

    static func all(of query: ItemQuery) -> [Relaxation] {
        // A reference names one item: there is nothing to leave out.
        guard query.reference == nil else { return [] }
        var all: [Relaxation] = []
        if query.synchronizable != .any {
            let isSynchronizable = query.synchronizable == .only(true)
            all.append(
                Relaxation(
                    query,
                    isSynchronizable
                        ? "a match is not synchronizable, and kSecAttrSynchronizable asks for those that are"
                        : "a match is synchronizable: it is found with kSecAttrSynchronizable or …SynchronizableAny"
                ) { $0.synchronizable = .any }
            )
        }
        if query.accessGroup != nil {
            all.append(
                Relaxation(
                    query,
                    { "a match is in another of the program's groups: \($0.group)" }
                ) { $0.accessGroup = nil }
            )
        }
        all.append(
            Relaxation(
                query,
                query.findsTombstones ? "a match was not deleted" : "a match was deleted, and its tombstone is left"
            ) { $0.findsTombstones.toggle() }
        )
        if query.accessibility != nil {
            all.append(Relaxation(query, "a match has another kSecAttrAccessible") { $0.accessibility = nil })
        }
        if query.sha1 != nil {
            all.append(Relaxation(query, "a match has another digest") { $0.sha1 = nil })
        }
        if query.hostOrSubdomain != nil {
            all.append(
                Relaxation(query, "kSecMatchHostOrSubdomainOfHost excludes a match") { $0.hostOrSubdomain = nil }
            )
        }
        if !query.certificate.isEmpty {
            all.append(
                Relaxation(query, "a kSecMatch… key excludes a certificate") { $0.certificate = CertificateFilter() }
            )
        }
        all += query.filters.entries.map { entry in
            let attribute = AttributeTable.attribute(entry.key, of: query.itemClass)
            let name = attribute?.constant ?? "'\(entry.key)'"
            return Relaxation(query, "a match has another \(name)") { $0.filters[entry.key] = nil }
        }
        return all + classes(of: query)
    }

    /// The classes that are taken for each other.
    private static func classes(of query: ItemQuery) -> [Relaxation] {
        switch query.itemClass {
        case .genericPassword: others([.internetPassword], of: query)
        case .internetPassword: others([.genericPassword], of: query)
        case .certificate: others([.key], of: query)
        case .key: others([.certificate], of: query)
        case .identity:
            [
                (
                    ItemClass.certificate,
                    "the certificate is there, and no private key in the program's groups belongs to it"
                ),
                (.key, "the private key is there, and no certificate in the program's groups belongs to it"),
            ].compactMap { itemClass, reason in
                guard let halves = try? query.identityHalves() else { return nil }
                let half = itemClass == .certificate ? halves.certificate : halves.key
                return Relaxation(half, reason) { _ in }
            }
        }
    }

    private static func others(_ classes: [ItemClass], of query: ItemQuery) -> [Relaxation] {
        // Without a filter, every item of the other class would match.
        guard !query.filters.entries.isEmpty else { return [] }
        return classes.compactMap { itemClass in
            guard query.filters.entries.allSatisfy({ AttributeTable.attribute($0.key, of: itemClass) != nil }) else {
                return nil
            }
            return Relaxation(query, "a match is of the class '\(itemClass.rawValue)'") { $0.itemClass = itemClass }
        }
    }
}

extension FoundItem {
    fileprivate var group: String {
        if case .string(let group) = attributes[.accessGroup] { group } else { "" }
    }
}
