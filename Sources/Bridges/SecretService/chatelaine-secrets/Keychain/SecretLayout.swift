import KeychainModel
import SecretServiceModel

/// How collections and items of the Secret Service are generic passwords of a keychain (docs/formats/secret-service.md).
enum SecretLayout {
    static let version: UInt8 = 1

    private static let itemPrefix = "secret-service.items/"
    private static let blindPrefix = "secret-service.blind/"
    static let collections = "secret-service.collections"
    static let aliases = "secret-service.aliases"
    static let key = "secret-service.key"

    static func items(of collection: String) -> String { itemPrefix + collection }
    static func blind(of collection: String) -> String { blindPrefix + collection }

    /// What a generic password is here, by its service and its account.
    enum Place: Hashable {
        case item(SecretItemID)
        case blind(SecretItemID)
        case collection(String)
        case alias(String)
        case key
    }

    static func place(service: String, account: String) -> Place? {
        if service.hasPrefix(itemPrefix) {
            return .item(SecretItemID(collection: String(service.dropFirst(itemPrefix.count)), item: account))
        }
        if service.hasPrefix(blindPrefix) {
            return .blind(SecretItemID(collection: String(service.dropFirst(blindPrefix.count)), item: account))
        }
        switch service {
        case collections: return .collection(account)
        case aliases: return .alias(account)
        case key: return .key
        default: return nil
        }
    }

    /// - Returns: nil for an item of another program, and for names that no object path can have: another program may have
    ///   stored them, and one such path in an answer would have the bus refuse all of it.
    static func place(of item: FoundItem) -> Place? {
        guard let service = item.text(.service), let account = item.text(.account),
            let place = place(service: service, account: account)
        else { return nil }
        switch place {
        case .item(let id), .blind(let id): return isName(id.collection) && isName(id.item) ? place : nil
        case .collection(let id): return isName(id) ? place : nil
        case .alias, .key: return place
        }
    }

    /// Whether it can be a part of an object path (D-Bus Specification, Valid Object Paths), or is the portal's place,
    /// which is in none.
    private static func isName(_ text: String) -> Bool {
        text == SecretService.portalID
            || !text.isEmpty
                && text.utf8.allSatisfy {
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
                }
    }

    static func query(_ place: Place) -> ItemQuery {
        let (service, account): (String, String) =
            switch place {
            case .item(let id): (items(of: id.collection), id.item)
            case .blind(let id): (blind(of: id.collection), id.item)
            case .collection(let id): (collections, id)
            case .alias(let name): (aliases, name)
            case .key: (key, "")
            }
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters[.service] = .string(service)
        query.filters[.account] = .string(account)
        return query
    }

    /// A new generic password.
    static func add(_ place: Place, label: String, generic: [UInt8], _ accessibility: Accessibility) -> AddRequest {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes = query(place).filters
        request.attributes[.label] = .string(label)
        request.attributes[.generic] = .data(generic)
        request.accessibility = accessibility
        request.returns = .attributes
        return request
    }

    // MARK: - Collections and aliases

    private static let isProtectedFlag: UInt8 = 1

    static func generic(of collection: StoredCollection) -> [UInt8] {
        [version, collection.isProtected ? isProtectedFlag : 0]
    }

    static func collection(_ id: String, _ item: FoundItem) -> StoredCollection? {
        guard let generic = item.bytes(.generic), generic.count == 2, generic[0] == version else { return nil }
        return StoredCollection(
            id: id,
            label: item.text(.label) ?? "",
            isProtected: generic[1] & isProtectedFlag != 0,
            created: item.seconds(.creationDate),
            modified: item.seconds(.modificationDate)
        )
    }

    static func generic(ofAlias collection: String) -> [UInt8] { [version] + Array(collection.utf8) }

    static func collection(ofAlias item: FoundItem) -> String? {
        guard let generic = item.bytes(.generic), generic.first == version else { return nil }
        return String(validating: generic.dropFirst(), as: UTF8.self)
    }
}

extension FoundItem {
    func text(_ key: AttributeKey) -> String? {
        switch attributes[key] {
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    func bytes(_ key: AttributeKey) -> [UInt8]? {
        if case .data(let bytes) = attributes[key] { bytes } else { nil }
    }

    /// A date in seconds since 1970-01-01; 0 where there is none.
    func seconds(_ key: AttributeKey) -> UInt64 {
        guard case .date(let date) = attributes[key] else { return 0 }
        return UInt64(exactly: (date + 978_307_200).rounded(.down)) ?? 0
    }
}
