/// A caller's dictionary, taken apart: what its keys mean is known, what they may mean together is not yet.
///
/// The order of a dictionary's entries is unspecified, so with several faults any of their errors is right.
struct QueryDictionary {
    /// Which of the four calls the dictionary belongs to.
    enum Role {
        case add
        case copy
        case update
        case delete
    }

    let itemClass: ItemClass
    private(set) var attributes = AttributeList()
    private(set) var accessGroup: String?
    private(set) var accessibility: Accessibility?
    private(set) var accessControl: AccessControl?
    private(set) var synchronizable: ItemQuery.SynchronizableFilter?
    private(set) var tombstone: Bool?
    private(set) var sha1: [UInt8]?
    private(set) var secrets: [AttributeKey: SecretBytes] = [:]
    private(set) var reference: PersistentReference?
    private(set) var object: ItemReference?
    private(set) var limit: MatchLimit?
    private(set) var returns: ReturnSelection = []
    private(set) var hostOrSubdomain: String?
    private(set) var certificate = CertificateFilter()
    private var authenticationUI: AuthenticationUI?
    private var context: CallContext?
    private var operationPrompt: String?
    private(set) var usesTombstones: Bool?
    private(set) var hasItemList = false
    private(set) var hasCredential = false
    /// Attributes that count when a persistent reference must stand alone: `sync` as a wildcard does not.
    private(set) var attributeCount = 0
    private var entryCount = 0

    /// More attributes and match keys than this are refused.
    private static let mostEntries = 128

    init(_ entries: [(key: String, value: QueryValue)], role: Role) throws(KeychainError) {
        itemClass = try Self.itemClass(of: entries)
        for (key, value) in entries {
            try take(key, value, role: role)
        }
        if let object { try expand(object, role: role) }
        if context != nil && hasCredential {
            throw KeychainError(.invalidParameter, "an authentication context excludes a credential reference")
        }
        // Items that are left out show no prompt either.
        if context?.forbidsInteraction == true, authenticationUI != .skip { authenticationUI = .fail }
        try accessControl?.requireAgreement(with: accessibility)
    }

    var authentication: ItemAuthentication {
        var authentication = ItemAuthentication()
        if let authenticationUI { authentication.ui = authenticationUI }
        authentication.applicationPassword = context?.applicationPassword
        authentication.context = context?.presence
        authentication.prompt = context?.prompt ?? PromptWishes()
        authentication.reuse = context?.reuse ?? .none
        // What is said of this call says more.
        if let operationPrompt { authentication.prompt.reason = operationPrompt }
        return authentication
    }

    // MARK: - The class

    /// `kSecClass`, the class inside a persistent reference, or that of the object; all that are there have to agree.
    private static func itemClass(of entries: [(key: String, value: QueryValue)]) throws(KeychainError) -> ItemClass {
        var named: QueryValue?
        var reference: PersistentReference?
        var implied: [ItemClass] = []
        for (key, value) in entries {
            if key == "class" { named = value }
            if key == "v_PersistentRef", case .data(let bytes) = value { reference = PersistentReference(bytes) }
            if key == "v_Ref", case .reference(let object) = value { implied.append(object.itemClass) }
        }
        if let reference { implied.append(reference.itemClass) }
        switch named {
        case .string(let name):
            guard let itemClass = ItemClass(rawValue: name) else {
                throw KeychainError(.noSuchClass, "kSecClass names none of the five classes")
            }
            guard implied.allSatisfy({ $0 == itemClass }) else {
                throw KeychainError(.noSuchClass, "the object or the persistent reference is of another class")
            }
            return itemClass
        case .some:
            throw KeychainError(
                implied.isEmpty ? .invalidParameter : .noSuchClass,
                "kSecClass is not a string"
            )
        case nil:
            guard let itemClass = implied.first else {
                throw KeychainError(.invalidParameter, "the dictionary names no kSecClass")
            }
            guard implied.allSatisfy({ $0 == itemClass }) else {
                throw KeychainError(.noSuchClass, "the object is of another class than the persistent reference")
            }
            return itemClass
        }
    }

    // MARK: - One entry

    private mutating func take(_ key: String, _ value: QueryValue, role: Role) throws(KeychainError) {
        guard let first = key.utf8.first, key.utf8.count > 1 else {
            throw KeychainError(.invalidParameter, "a key is shorter than two characters")
        }
        // kSecUseDataProtectionKeychain has four letters like an attribute, and no effect.
        if key == "nleg" { return }
        if key.utf16.count == 4 {
            guard let attribute = AttributeKey(key) else {
                throw KeychainError(.noSuchAttribute, "attributes have keys of four ASCII characters")
            }
            return try takeAttribute(attribute, value)
        }
        switch first {
        case UInt8(ascii: "c") where key == "class": break
        case UInt8(ascii: "m"): try takeMatch(key, value, role: role)
        case UInt8(ascii: "r"): try takeReturn(key, value)
        case UInt8(ascii: "u"): try takeUse(key, value, role: role)
        case UInt8(ascii: "v"): try takeValue(key, value)
        case UInt8(ascii: "f"): break
        default: throw KeychainError(.invalidParameter, "a key is not one that a query may have")
        }
    }

    private mutating func countEntry() throws(KeychainError) {
        entryCount += 1
        guard entryCount <= Self.mostEntries else {
            throw KeychainError(.invalidParameter, "the dictionary has more than \(Self.mostEntries) entries")
        }
    }

    private mutating func takeAttribute(
        _ key: AttributeKey,
        _ value: QueryValue
    ) throws(KeychainError) {
        try countEntry()
        if key == .appClip {
            throw KeychainError(.invalidParameter, "app clip items do not exist here")
        }
        guard let attribute = AttributeTable.attribute(key, of: itemClass) else {
            throw KeychainError(.noSuchAttribute, "the class has no attribute '\(key)'")
        }
        attributeCount += 1
        switch (key, value) {
        case (.synchronizable, .string("syna")):
            synchronizable = .any
            attributeCount -= 1
        case (.accessControl, .accessControl(let control)):
            accessControl = control
        case (.accessControl, _):
            throw KeychainError(.invalidParameter, "kSecAttrAccessControl takes a SecAccessControl")
        default:
            store(try attribute.kind.coerce(value), for: attribute)
        }
    }

    private mutating func store(_ value: AttributeValue, for attribute: Attribute) {
        switch (attribute.key, value) {
        case (.accessGroup, .string(let group)): accessGroup = group
        case (.accessible, .string(let name)): accessibility = Accessibility(rawValue: name)
        case (.synchronizable, .integer(let flag)): synchronizable = .only(flag == 1)
        case (.tombstone, .integer(let flag)): tombstone = flag == 1
        case (.sha1, .data(let digest)): sha1 = digest
        case (let key, .data(let bytes)) where attribute.flags.contains(.secret): secrets[key] = SecretBytes(bytes)
        case (let key, let value): attributes[key] = value
        }
    }

    private mutating func takeMatch(_ key: String, _ value: QueryValue, role: Role) throws(KeychainError) {
        try countEntry()
        // An add matches nothing. Updates and deletions are limited, which macOS's callers have to say, and not filtered: a
        // filter that is ignored would let them meet more items than were meant.
        guard role == .copy || role != .add && key == "m_Limit" else {
            throw KeychainError(.invalidParameter, "this match key goes only with SecItemCopyMatching")
        }
        switch (key, value) {
        case (_, .null) where key != "m_ValidOnDate":
            throw KeychainError(.invalidParameter, "a match key has no value")
        case ("m_Limit", _):
            limit = try Self.limit(value)
        case ("m_HostOrSubdomainOfHost", .string(let host)):
            guard itemClass == .internetPassword else {
                throw KeychainError(.unimplemented, "only internet passwords are matched by host")
            }
            hostOrSubdomain = host
        case ("m_HostOrSubdomainOfHost", _):
            throw KeychainError(.invalidParameter, "kSecMatchHostOrSubdomainOfHost takes a string")
        default:
            try certificate.take(key, value, of: itemClass)
        }
    }

    private static func limit(_ value: QueryValue) throws(KeychainError) -> MatchLimit {
        switch value {
        case .string("m_LimitOne"), .integer(1): return .one
        case .string("m_LimitAll"), .integer(-1): return .all
        case .integer(let number) where number >= 0: return .count(Int(clamping: number))
        case .real(let number):
            guard let whole = Int64(exactly: number) else { fallthrough }
            return try limit(.integer(whole))
        default: throw KeychainError(.invalidParameter, "kSecMatchLimit takes a number, one or all")
        }
    }

    private mutating func takeReturn(_ key: String, _ value: QueryValue) throws(KeychainError) {
        let selection: ReturnSelection =
            switch key {
            case "r_Data": .data
            case "r_Attributes": .attributes
            case "r_Ref": .reference
            case "r_PersistentRef": .persistentReference
            default: throw KeychainError(.invalidParameter, "there is no such return key")
            }
        guard case .boolean(let isWanted) = value else {
            throw KeychainError(.invalidParameter, "a return key takes a Boolean, not a number")
        }
        if isWanted { returns.insert(selection) }
    }

    private mutating func takeUse(_ key: String, _ value: QueryValue, role: Role) throws(KeychainError) {
        switch (key, value) {
        case (_, .null):
            throw KeychainError(.invalidParameter, "a use key has no value")
        case ("u_ItemList", _): hasItemList = true
        case ("u_Tomb", .boolean(let flag)): usesTombstones = flag
        case ("u_CredRef", _): hasCredential = true
        case ("u_AuthCtx", .authenticationContext(let context)): self.context = context
        case ("u_NoAuthUI", .boolean(let isForbidden)):
            if isForbidden { authenticationUI = .fail }
        case ("u_AuthUI", .string("u_AuthUIA")): authenticationUI = .allow
        case ("u_AuthUI", .string("u_AuthUIF")): authenticationUI = .fail
        case ("u_AuthUI", .string("u_AuthUIS")) where role == .copy: authenticationUI = .skip
        case ("u_OpPrompt", .string(let prompt)): operationPrompt = prompt
        case ("u_CallerName", .string): break
        case ("u_SystemKeychain", _), ("u_SystemKeychainAlways", _), ("u_SyncBubbleKeychain", _),
            ("u_TokenRawItems", _), ("u_UserIndependentKeychain", _), ("u_CertWithIssuers", _):
            break
        default:
            throw KeychainError(.invalidParameter, "a use key is unknown here or has a value that it does not take")
        }
    }

    /// Takes from an object what the dictionary does not say itself.
    ///
    /// A new item gets all of it; a search gets what tells the object from others.
    private mutating func expand(_ object: ItemReference, role: Role) throws(KeychainError) {
        let derived = try object.derivedAttributes
        for (key, value) in role == .add ? derived.all : derived.telling where attributes[key] == nil {
            guard value.byteCount <= AttributeKind.largestAttribute else {
                throw KeychainError(.dataTooLarge, "an attribute of the object is larger than 1 MiB")
            }
            attributes[key] = value
            attributeCount += 1
        }
        guard role == .add else { return }
        if attributes[.label] == nil { attributes[.label] = derived.label.map { .string($0) } }
        if secrets[.valueData] == nil { secrets[.valueData] = try derived.data.asItemValue() }
        if accessControl == nil { accessControl = derived.accessControl }
        if accessGroup == nil { accessGroup = derived.accessGroup }
    }

    private mutating func takeValue(_ key: String, _ value: QueryValue) throws(KeychainError) {
        switch (key, value) {
        case ("v_Data", .secret(let bytes)):
            secrets[.valueData] = try bytes.asItemValue()
        case ("v_PersistentRef", .data(let bytes)):
            guard let reference = PersistentReference(bytes) else {
                throw KeychainError(.invalidParameter, "the persistent reference is malformed")
            }
            self.reference = reference
        case ("v_Ref", .reference(let object)):
            self.object = object
        default:
            throw KeychainError(.invalidParameter, "a value key is unknown or has a value of another type")
        }
    }
}

extension AccessControl {
    /// An access control and an accessibility class contradict each other, unless the access control is what an
    /// ordinary item of that class is returned with.
    ///
    /// - Throws: `invalidParameter`.
    package func requireAgreement(with accessibility: Accessibility?) throws(KeychainError) {
        if let accessibility, self != AccessControl(bare: accessibility) {
            throw KeychainError(.invalidParameter, "kSecAttrAccessible and kSecAttrAccessControl exclude each other")
        }
    }
}

extension SecretBytes {
    /// The same bytes, if an item may have so many.
    ///
    /// - Throws: `dataTooLarge` over 16 MiB.
    package func asItemValue() throws(KeychainError) -> SecretBytes {
        guard count <= AttributeKind.largestValue else {
            throw KeychainError(.dataTooLarge, "the value is larger than 16 MiB")
        }
        return self
    }
}
