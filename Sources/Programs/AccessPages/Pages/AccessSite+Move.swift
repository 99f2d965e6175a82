import KeychainModel

/// Moving an item: to another access group, to another protection, and to the owner's other devices.
extension AccessSite {
    private static let mostGroups = 500
    private static let longestGroup = 400

    /// What a form offers for an item; nil where these are not changed here: in an owner's view, for private keys, and where an
    /// access control goes with the protection.
    func choices(for item: ItemSummary) throws(KeychainError) -> ItemChoices? {
        guard item.kind != .key, !item.isGuarded, item.bridge == nil, try !catalogue.isViewNeeded() else { return nil }
        let groups = try catalogue.index().groups.map(\.name).filter {
            !$0.isEmpty && $0.utf8.count <= Self.longestGroup
        }
        return ItemChoices(item, groups: Array(groups.prefix(Self.mostGroups)))
    }
}

/// What can be chosen of an item.
struct ItemChoices {
    private let item: ItemSummary
    private let groups: [String]

    init(_ item: ItemSummary, groups: [String]) {
        self.item = item
        // Also one that is too long to be among the others.
        self.groups = groups.contains(item.group) ? groups : [item.group] + groups
    }

    private static let marker = "choices"
    private static let group = "group"
    private static let protection = "protection"
    private static let shared = "synchronized"

    /// - Parameter sent: what was chosen before, where the form comes back with errors.
    func add(to values: inout PageValues, _ sent: FormFields) {
        let isSent = sent[Self.marker] != nil
        let group = sent[Self.group] ?? item.group
        let protection = sent[Self.protection] ?? item.accessibility.rawValue
        let isShared = isSent ? sent[Self.shared] == "yes" : item.isSynchronizable
        values["hasChoices"] = true
        values["selects"] = [
            [
                "id": Self.group, "name": Self.group, "label": "Access group",
                "help": "Programs of this group can read it, and no others.",
                "options": groups.map { option($0, ForeignText.shown($0), $0 == group) },
            ] as PageValues,
            [
                "id": Self.protection, "name": Self.protection, "label": "Protection",
                "help": "While unlocked is for what only you use; programs in the background need the others.",
                "options": Accessibility.allCases.map { option($0.rawValue, $0.name, $0.rawValue == protection) },
            ] as PageValues,
        ]
        values["checkboxes"] = [
            [
                "id": Self.shared, "name": Self.shared, "label": "Synchronize with my other devices",
                "isChecked": isShared, "help": "Which ones there are is on the page Devices.",
            ] as PageValues
        ]
        values["hidden"] = [["name": Self.marker, "value": "yes"] as PageValues]
    }

    private func option(_ value: String, _ name: String, _ isSelected: Bool) -> PageValues {
        ["value": value, "name": name, "isSelected": isSelected]
    }

    /// What is wrong with a choice; nil if nothing is. Only somebody else than these pages sends such a form.
    func error(in form: FormFields) -> (name: String, text: String)? {
        guard form[Self.marker] != nil else { return nil }
        if let group = form[Self.group], !groups.contains(group) {
            return (Self.group, "Choose one of the access groups.")
        }
        if let name = form[Self.protection], Accessibility(rawValue: name) == nil {
            return (Self.protection, "Choose one of the protections.")
        }
        return nil
    }

    /// Takes what was chosen and is not so already.
    func take(_ form: FormFields, into changes: inout ItemChanges) {
        guard form[Self.marker] != nil else { return }
        if let group = form[Self.group], group != item.group { changes.accessGroup = group }
        if let protection = form[Self.protection].flatMap(Accessibility.init(rawValue:)),
            protection != item.accessibility
        {
            changes.accessibility = protection
        }
        let isShared = form[Self.shared] == "yes"
        if isShared != item.isSynchronizable { changes.isSynchronizable = isShared }
    }
}

extension ItemChanges {
    /// Whether they change nothing.
    var isEmpty: Bool {
        attributes.isEmpty && secrets.isEmpty && accessGroup == nil && accessibility == nil && accessControl == nil
            && isSynchronizable == nil
    }
}
