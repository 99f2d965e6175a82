import KeychainModel

/// Cryptographic keys: where they live, what they can do, what they demand.
extension AccessSite {
    private static let most = 1_000

    func keys() throws(KeychainError) -> PageResponse {
        var request = FindRequest(query: ItemCatalogue.query(.key))
        request.limit = .count(Self.most)
        request.returns = .attributes
        request.authentication.ui = .skip
        let found = try catalogue.find(request).map { ($0, ItemSummary($0)) }
        // A key that was imported with its certificate often has no name of its own.
        let certificates = found.contains { $0.1.name.isEmpty } ? try certificateNames() : [:]
        let rows = found.sorted { $0.1.name < $1.1.name }.map { item, summary in
            let facts = ItemFacts(item, summary)
            let certificate = certificates[PublicHalf(item, item.attributes.bytes(.applicationLabel))]
            var row: PageValues = [
                "name": summary.name.isEmpty
                    ? certificate.map { "Key of \($0)" } ?? summary.shownName : summary.shownName,
                "href": summary.reference.path, "type": facts.keyType,
                "place": facts.keyPlace, "uses": facts.keyUses, "demands": facts.keyDemands,
            ]
            if let size = facts.keySize { row["size"] = size }
            return row
        }
        return framed(
            "keys",
            title: "Keys",
            in: ItemKind.key.path,
            ["isEmpty": rows.isEmpty, "emptyText": "The keychain has no keys.", "rows": rows]
        )
    }
}

extension ItemFacts {
    private func has(_ key: AttributeKey) -> Bool { attributes.number(key) == 1 }

    /// The names of `kSecAttrKeyType` and `kSecAttrKeyClass`.
    var keyType: String {
        let half =
            switch attributes.number(.keyClass) {
            case 0: "public key"
            case 1: "private key"
            default: "symmetric key"
            }
        switch attributes.number(.keyType) {
        case 42: return "RSA \(half)"
        case 73: return "Elliptic curve, \(half)"
        case 105: return "Ed25519 \(half)"
        default: return half.prefix(1).uppercased() + half.dropFirst()
        }
    }

    var keySize: String? {
        attributes.number(.keySizeInBits).flatMap { $0 > 0 ? "\($0) bits" : nil }
    }

    var keyPlace: String { attributes.isInEnclave ? "Secure Enclave" : "Keychain" }

    var keyUses: String {
        let uses: [(AttributeKey, String)] = [
            (.canSign, "sign"), (.canVerify, "verify"), (.canEncrypt, "encrypt"), (.canDecrypt, "decrypt"),
            (.canDerive, "exchange keys"),
        ]
        let names = uses.filter { has($0.0) }.map(\.1)
        return names.isEmpty ? "unknown" : names.joined(separator: ", ")
    }

    var keyDemands: String { summary.isGuarded ? demands : "nothing" }
}
