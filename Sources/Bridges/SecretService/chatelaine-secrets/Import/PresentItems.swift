import SecretServiceModel

/// The items that a collection has already, as an import finds them again. Each is found once: a duplicate at the source
/// stays one.
struct PresentItems {
    private var items: [[SecretAttributes.Pair]: [(id: SecretItemID, label: String)]] = [:]

    init(_ stored: some Sequence<StoredSecret>) {
        for item in stored {
            guard let attributes = item.details?.attributes else { continue }
            items[Self.key(attributes), default: []].append((item.id, item.label))
        }
    }

    /// gnome-keyring gives items this schema that came without any, some of them only when it is started the next time.
    private static let generic = SecretAttributes.Pair(name: schema, value: "org.freedesktop.Secret.Generic")
    private static let schema = "xdg:schema"

    private static func key(_ attributes: SecretAttributes) -> [SecretAttributes.Pair] {
        attributes.pairs.filter { $0 != generic }
    }

    /// Finds the item with the same attributes: one with the same label before others.
    mutating func take(_ attributes: SecretAttributes, label: String) -> SecretItemID? {
        let key = Self.key(attributes)
        guard let same = items[key], !same.isEmpty else { return nil }
        let named = same.firstIndex { $0.label == label }
        // Items without attributes, such as those of KDE's programs, have nothing in common but that.
        guard let found = named ?? (key.contains { $0.name != Self.schema } ? 0 : nil) else { return nil }
        return items[key]?.remove(at: found).id
    }
}
