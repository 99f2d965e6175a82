/// The outermost object of a file.
struct CXFDocument: Decodable {
    let accounts: [CXFAccount]

    private enum Key: String, CodingKey, CaseIterable {
        case version, accounts, items
        /// Of JSON Web Encryption, and of an exchange by the protocol.
        case ciphertext, recipients, payload, hpke
        /// Of Bitwarden's own JSON.
        case encrypted, folders
    }

    private struct Version: Decodable { let major: Int }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard ![.ciphertext, .recipients, .payload, .hpke].contains(where: container.contains) else {
            throw CXF.encrypted
        }
        guard ![.encrypted, .folders].contains(where: container.contains) else {
            throw ImportFailure("the file is Bitwarden's own JSON, and not of the Credential Exchange Format")
        }
        try Self.check(container)
        if container.contains(.accounts) {
            accounts = try container.decode(CXFList<CXFAccount>.self, forKey: .accounts).elements
        } else if container.contains(.items) {
            accounts = [try CXFAccount(from: decoder)]
        } else {
            throw ImportFailure("the file has no accounts: it is not of the Credential Exchange Format")
        }
    }

    /// An account alone has no version. Drafts of the format have 0, some as a number.
    private static func check(_ container: KeyedDecodingContainer<Key>) throws {
        guard container.contains(.version) else { return }
        let major = try? container.decode(Version.self, forKey: .version).major
        guard let number = major ?? (try? container.decode(Int.self, forKey: .version)) else {
            throw ImportFailure("the file does not say which version of the Credential Exchange Format it has")
        }
        guard (0...1).contains(number) else {
            throw ImportFailure("the file has a version of the Credential Exchange Format that is not known here")
        }
    }
}

/// A person's entries and folders.
struct CXFAccount: Decodable {
    let id: String
    let collections: [CXFCollection]
    let items: [CXFItem]

    private enum Key: String, CodingKey { case id, collections, items }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decodeIfPresent(String.self, forKey: .id) ?? ""
        collections = try container.list(.collections)
        items = try container.decode(CXFList<CXFItem>.self, forKey: .items).elements
    }
}

/// Where a credential may be used.
struct CXFScope: Decodable {
    let addresses: [String]
    let apps: Int

    private enum Key: String, CodingKey { case urls, androidApps }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        addresses = try container.list(.urls, of: String.self).filter { !$0.isEmpty }
        apps = try container.count(.androidApps)
    }
}

/// The names of an object's members.
struct CXFMemberNames: Decodable {
    struct Name: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let names: Set<String>

    init(from decoder: any Decoder) throws {
        names = Set(try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue))
    }
}
