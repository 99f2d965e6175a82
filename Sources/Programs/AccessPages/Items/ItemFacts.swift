import KeychainModel

/// What there is to say of an item, in groups with titles.
struct ItemFacts {
    let attributes: AttributeList
    let item: FoundItem
    let summary: ItemSummary

    init(_ item: FoundItem, _ summary: ItemSummary) {
        self.item = item
        self.summary = summary
        attributes = item.attributes
    }

    var groups: [PageValues] {
        [("What it is", about), ("Who can read it", readers), ("Dates", dates)]
            .filter { !$0.1.isEmpty }.map { ["title": $0.0, "facts": $0.1] as PageValues }
    }

    /// What is said of an item whose own page says the rest.
    var readerGroups: [PageValues] {
        [
            ["title": "Who can read it", "facts": readers] as PageValues,
            ["title": "Dates", "facts": dates] as PageValues,
        ]
    }

    private var about: [PageValues] {
        var facts = [fact("Kind", summary.kindName)]
        if summary.isCode {
            facts += [fact("For", ForeignText.shown(summary.place, most: ForeignText.ofValue))]
            return facts + texts([("Account", .account)])
        }
        facts += texts([("Account", .account), ("Service", .service)])
        facts += addresses
        facts += texts([("Security domain", .securityDomain), ("Description", .kindText), ("Tag", .applicationTag)])
        if summary.kind == .key {
            facts.append(fact("Type", keyType))
            if let keySize { facts.append(fact("Size", keySize)) }
            facts.append(
                fact("Place", attributes.isInEnclave ? "Secure Enclave: the private key never leaves it" : "Keychain")
            )
            facts.append(fact("Used to", keyUses))
        }
        return facts
    }

    /// Where an internet password is for, as a browser has it where its protocol is known.
    private var addresses: [PageValues] {
        let port = attributes.number(.port).flatMap { $0 > 0 ? String($0) : nil }
        guard let server = attributes.text(.server) else {
            return (port.map { [fact("Port", $0, isMono: true)] } ?? []) + texts([("Path", .path)])
        }
        let scheme = attributes.text(.networkProtocol).flatMap(NetworkProtocol.scheme)
        let path = attributes.text(.path).map { $0.hasPrefix("/") ? $0 : "/" + $0 } ?? ""
        let text = (scheme.map { "\($0)://" } ?? "") + server + (port.map { ":" + $0 } ?? "") + path
        let isWebsite = ["http", "https"].contains(scheme ?? "https")
        return [fact(isWebsite ? "Website" : "Server", ForeignText.shown(text, most: ForeignText.ofValue))]
    }

    private var readers: [PageValues] {
        var facts = [
            fact(
                "Access group",
                ForeignText.shown(summary.group, most: ForeignText.ofValue),
                isMono: true,
                help: GroupName(summary.group).readers
            ),
            fact("Protection", summary.accessibility.name, help: summary.accessibility.explanation),
            fact("Synchronized", summary.isSynchronizable ? "Yes, once the keychain has other devices" : "No"),
        ]
        if summary.isGuarded { facts.append(fact("Asks for", demands)) }
        return facts
    }

    /// What the item's access control asks its owner for.
    var demands: String {
        var names = item.accessControl.constraint.alternatives.filter { !$0.isEmpty }.map { factors in
            factors.each.map { $0 == .passcode ? "the passcode" : "a finger" }.joined(separator: " and ")
        }.sorted().joined(separator: ", or ")
        if item.accessControl.asksPassword { names += (names.isEmpty ? "" : ", and ") + "the program's own password" }
        return names.isEmpty ? "something that this device cannot ask for" : names
    }

    private var dates: [PageValues] {
        [("Created", summary.created), ("Modified", summary.modified)].map { name, seconds in
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
}
