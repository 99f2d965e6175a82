import KeychainModel

/// What the keychain holds for other programs: collections of the Secret Service, keys of the ssh agent, and passkeys.
extension AccessSite {
    func bridges() throws(KeychainError) -> PageResponse {
        let index = try catalogue.index()
        var counts: [String: Int] = [:]
        var keys: [PageValues] = []
        var passkeys: [PageValues] = []
        for item in index.items {
            switch item.bridge {
            case .secret(let collection)?: counts[collection, default: 0] += 1
            case .sshKey?: keys.append(Self.values(key: item))
            case .passkey(let site)?: passkeys.append(Self.values(passkey: item, site: site))
            default: break
            }
        }
        for collection in index.collections.keys { counts[collection, default: 0] += 0 }
        let collections = counts.sorted { $0.key < $1.key }.map { id, count -> PageValues in
            let name = index.collections[id].flatMap { $0.isEmpty ? nil : $0 } ?? id
            return [
                "name": ForeignText.shown(name), "count": count == 1 ? "1 secret" : "\(PageDate.number(count)) secrets",
                "href": "/items?" + FormFields.query([("query", "Secret Service: \(id)")]),
            ]
        }
        return framed(
            "bridges",
            title: "Other programs",
            in: "/programs",
            [
                "hasCollections": !collections.isEmpty, "collections": collections, "hasKeys": !keys.isEmpty,
                "keys": keys, "hasPasskeys": !passkeys.isEmpty, "passkeys": passkeys,
            ]
        )
    }

    private static func values(passkey: ItemSummary, site: String) -> PageValues {
        [
            "site": ForeignText.shown(site), "name": passkey.shownName, "href": passkey.reference.path,
            "place": passkey.isSynchronizable ? "All devices" : "This device",
            "modified": PageDate.text(passkey.created), "modifiedISO": PageDate.machine(passkey.created),
        ]
    }

    private static func values(key: ItemSummary) -> PageValues {
        let isInEnclave = key.kind == .key
        return [
            "name": key.shownName, "href": key.reference.path, "place": isInEnclave ? "Secure Enclave" : "Keychain",
            "fingerprint": isInEnclave || key.account.isEmpty ? "–" : ForeignText.shown(key.account),
            "demands": key.isGuarded ? "The owner" : "Nothing", "modified": PageDate.text(key.created),
            "modifiedISO": PageDate.machine(key.created),
        ]
    }
}
