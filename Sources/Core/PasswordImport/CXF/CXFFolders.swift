/// A folder with entries, which it names, and with folders.
struct CXFCollection: Decodable {
    struct Link: Decodable {
        let item: String
        /// Whose entry it is. Nil for the account of the collection.
        let account: String?
    }

    let title: String
    let links: [Link]
    let collections: [CXFCollection]

    private enum Key: String, CodingKey { case title, items, subCollections }

    static let deepest = 64

    init(from decoder: any Decoder) throws {
        // A level has two steps: the name of the array, and the place in it. Three lead to the array of an account.
        guard decoder.codingPath.count <= 2 * Self.deepest + 3 else {
            throw ImportFailure("the file has folders that are nested too deeply")
        }
        let container = try decoder.container(keyedBy: Key.self)
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
        links = try container.list(.items)
        collections = try container.list(.subCollections)
    }
}

/// The folders of each entry in a file.
struct CXFFolders {
    private struct Place: Hashable {
        let account: String
        let item: String
    }

    private var places: [Place: [[String]]] = [:]

    init(_ accounts: [CXFAccount]) {
        for account in accounts {
            for collection in account.collections { add(collection, under: [], of: account.id) }
        }
    }

    private mutating func add(_ collection: CXFCollection, under path: [String], of account: String) {
        let path = path + [collection.title]
        for link in collection.links {
            places[Place(account: link.account ?? account, item: link.item), default: []].append(path)
        }
        for inner in collection.collections { add(inner, under: path, of: account) }
    }

    /// The titles of the folders above an entry, from the outermost, for each folder that names it.
    func paths(of item: CXFItem, in account: CXFAccount) -> [[String]] {
        places[Place(account: account.id, item: item.id)] ?? []
    }
}
