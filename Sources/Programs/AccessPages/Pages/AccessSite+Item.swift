import EnclaveInterface
import KeychainModel

/// The page of one item.
extension AccessSite {
    func item(_ reference: PersistentReference) throws(KeychainError) -> PageResponse {
        guard let item = try catalogue.item(reference) else { return message(.itemGone) }
        let summary = ItemSummary(item)
        var values: PageValues = [
            "item": summary.row, "groups": ItemFacts(item, summary).groups, "hasSecrets": summary.kind.hasSecret,
            "editHref": "\(reference.path)/edit", "deleteAction": "\(reference.path)/delete",
        ]
        if let comment = item.attributes.text(.comment) { values["comment"] = ForeignText.lines(comment) }
        if summary.kind.hasSecret {
            values["secret"] =
                [
                    "label": "Password", "showAction": "\(reference.path)/reveal", "canCopy": false,
                    "asks": try asks(item),
                ] as PageValues
        }
        return framed("item", title: summary.shownName, in: summary.kind.path, values)
    }

    /// How the owner is asked before the value is shown.
    private func asks(_ item: FoundItem) throws(KeychainError) -> String {
        let hasPasscode = try catalogue.state()?.hasPasscode ?? false
        if item.accessControl.asksPassword { return "The keychain asks for the password that the program has set." }
        if hasPasscode { return "The keychain asks for its passcode or your finger." }
        return "The keychain has no passcode, so it cannot ask for one. Set one with: chatelaine passcode set"
    }
}

extension ItemKind {
    /// Whether an item of this kind has a value that people read.
    var hasSecret: Bool { self == .password || self == .internetPassword }
}

/// What there is to say of an item, in groups with titles.
private struct ItemFacts {
    private let attributes: AttributeList
    private let item: FoundItem
    private let summary: ItemSummary

    init(_ item: FoundItem, _ summary: ItemSummary) {
        self.item = item
        self.summary = summary
        attributes = item.attributes
    }

    var groups: [PageValues] {
        [("What it is", about), ("Who can read it", readers), ("Dates", dates)]
            .filter { !$0.1.isEmpty }.map { ["title": $0.0, "facts": $0.1] as PageValues }
    }

    private var about: [PageValues] {
        var facts = [fact("Kind", summary.kind.name)]
        facts += texts([("Account", .account), ("Service", .service), ("Website", .server)])
        if let port = attributes.number(.port), port > 0 { facts.append(fact("Port", String(port), isMono: true)) }
        facts += texts([
            ("Path", .path), ("Security domain", .securityDomain), ("Description", .kindText), ("Tag", .applicationTag),
        ])
        if let type = attributes.number(.keyType), summary.kind == .key {
            facts.append(fact("Type", Self.keyType(type)))
        }
        if let size = attributes.number(.keySizeInBits), size > 0 { facts.append(fact("Size", "\(size) bits")) }
        if summary.kind == .key {
            facts.append(
                fact("Place", attributes.isInEnclave ? "Secure Enclave: the private key never leaves it" : "Keychain")
            )
        }
        return facts
    }

    private var readers: [PageValues] {
        var facts = [
            fact(
                "Access group",
                ForeignText.shown(summary.group, most: ForeignText.ofValue),
                isMono: true,
                help: "Only programs of this group can read it."
            ),
            fact("Protection", summary.accessibility.name, help: summary.accessibility.explanation),
            fact("Synchronized", summary.isSynchronizable ? "Yes, with your other devices" : "No"),
        ]
        if summary.isGuarded { facts.append(fact("Asks for", demands)) }
        return facts
    }

    /// What the item's access control asks its owner for.
    private var demands: String {
        var names = item.accessControl.constraint.alternatives.filter { !$0.isEmpty }.map { factors in
            factors.each.map { $0 == .passcode ? "the passcode" : "a finger" }.joined(separator: " and ")
        }.sorted().joined(separator: ", or ")
        if item.accessControl.asksPassword { names += (names.isEmpty ? "" : ", and ") + "the program's own password" }
        return names.isEmpty ? "something that this device cannot ask for" : names
    }

    private var dates: [PageValues] {
        [("Created", summary.created), ("Changed", summary.modified)].map { name, seconds in
            ["name": name, "value": PageDate.text(seconds), "isTime": true, "iso": PageDate.machine(seconds)]
        }
    }

    private func texts(_ names: [(String, AttributeKey)]) -> [PageValues] {
        names.compactMap { name, key in
            attributes.text(key).map { fact(name, ForeignText.shown($0, most: ForeignText.ofValue)) }
        }
    }

    private func fact(_ name: String, _ value: String, isMono: Bool = false, help: String? = nil) -> PageValues {
        var values: PageValues = ["name": name, "value": value, "isMono": isMono, "isTime": false]
        if let help { values["help"] = help }
        return values
    }

    /// The names of `kSecAttrKeyType`.
    private static func keyType(_ type: Int64) -> String {
        switch type {
        case 42: "RSA"
        case 73: "Elliptic curve"
        case 105: "Ed25519"
        default: "Type \(type)"
        }
    }
}
