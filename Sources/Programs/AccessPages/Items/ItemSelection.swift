package import KeychainModel

/// Which items a table shows, in which order: what the address of the page says.
package struct ItemSelection: Sendable, Equatable {
    package enum Column: String, Sendable, CaseIterable {
        case name
        case kind
        case account
        case place
        case group
        case protection
        case modified
    }

    package var text = ""
    /// The number of the text among those that were searched for: a name that somebody looks for is to be in no address, and
    /// so in no history.
    package var search: Int?
    package var kind: ItemKind?
    package var group: String?
    package var protection: Accessibility?
    package var isSynchronizable: Bool?
    package var column = Column.name
    package var isDescending = false
    /// From 1.
    package var page = 1

    /// Rows of one page.
    package static let rows = 100
    private static let mostWords = 8

    package init() {}

    /// What a form or a query says. What it does not say, or says wrongly, does not restrict.
    ///
    /// - Parameter searches: what was searched for earlier, which a query names by a number.
    package init(_ query: FormFields, searches: [String] = []) {
        if let typed = query["query"] {
            text = String(typed.prefix(ItemSummary.mostCharacters))
        } else if let number = query["search"].flatMap(Int.init), searches.indices.contains(number) {
            (text, search) = (searches[number], number)
        }
        kind = query["kind"].flatMap(ItemKind.init(rawValue:))
        group = query["group"].flatMap { $0.isEmpty ? nil : $0 }
        protection = query["protection"].flatMap(Accessibility.init(rawValue:))
        isSynchronizable =
            switch query["sync"] {
            case "yes": true
            case "no": false
            default: nil
            }
        column = query["sort"].flatMap(Column.init(rawValue:)) ?? .name
        isDescending = query["order"] == "down"
        page = max(1, query["page"].flatMap(Int.init) ?? 1)
    }

    /// The query that says the same.
    package var query: String {
        var fields: [(String, String)] = []
        if let search { fields.append(("search", String(search))) }
        if let kind { fields.append(("kind", kind.rawValue)) }
        if let group { fields.append(("group", group)) }
        if let protection { fields.append(("protection", protection.rawValue)) }
        if let isSynchronizable { fields.append(("sync", isSynchronizable ? "yes" : "no")) }
        if column != .name { fields.append(("sort", column.rawValue)) }
        if isDescending { fields.append(("order", "down")) }
        if page > 1 { fields.append(("page", String(page))) }
        return FormFields.query(fields)
    }

    /// Whether it leaves any item out.
    package var restricts: Bool {
        !text.isEmpty || kind != nil || group != nil || protection != nil || isSynchronizable != nil
    }

    func includes(_ item: ItemSummary, words: [[UInt8]]) -> Bool {
        (kind.map { $0 == item.kind } ?? true) && (group.map { $0 == item.group } ?? true)
            && (protection.map { $0 == item.accessibility } ?? true)
            && (isSynchronizable.map { $0 == item.isSynchronizable } ?? true) && item.matches(words)
    }

    var words: [[UInt8]] {
        text.lowercased().split(whereSeparator: \.isWhitespace).prefix(Self.mostWords).map { Array($0.utf8) }
    }
}

/// What people call the classes of items.
package enum ItemKind: String, Sendable, CaseIterable {
    case password
    case internetPassword = "internet"
    case code
    case certificate
    case key

    /// A code is an item of another class; only its attributes tell.
    package init?(_ itemClass: ItemClass) {
        switch itemClass {
        case .genericPassword: self = .password
        case .internetPassword: self = .internetPassword
        case .certificate: self = .certificate
        case .key: self = .key
        case .identity: return nil
        }
    }

    package var name: String {
        switch self {
        case .password: "Password"
        case .internetPassword: "Internet password"
        case .code: "One-time code"
        case .certificate: "Certificate"
        case .key: "Key"
        }
    }

    package var plural: String {
        switch self {
        case .password: "Passwords"
        case .internetPassword: "Internet passwords"
        case .code: "One-time codes"
        case .certificate: "Certificates"
        case .key: "Keys"
        }
    }

    /// The name of its icon.
    package var icon: String {
        switch self {
        case .password: "password"
        case .internetPassword: "globe"
        case .code: "code"
        case .certificate: "certificate"
        case .key: "key"
        }
    }
}
