/// An object of the service, by its path.
enum SecretObject: Equatable {
    case service
    case collection(String)
    /// A name that stands for a collection.
    case alias(String)
    case item(SecretItemID)
    case itemOfAlias(String, String)
    case session(String)
    case prompt(String)

    static let root = "/org/freedesktop/secrets"

    init?(_ path: String) {
        if path == Self.root {
            self = .service
            return
        }
        guard path.hasPrefix(Self.root + "/") else { return nil }
        let parts = path.utf8.dropFirst(Self.root.utf8.count + 1).split(separator: UInt8(ascii: "/")).map(String.init)
        switch (parts.first.flatMap { $0 }, parts.count) {
        case ("collection", 2): self = .collection(parts[1] ?? "")
        case ("collection", 3): self = .item(SecretItemID(collection: parts[1] ?? "", item: parts[2] ?? ""))
        case ("aliases", 2): self = .alias(parts[1] ?? "")
        case ("aliases", 3): self = .itemOfAlias(parts[1] ?? "", parts[2] ?? "")
        case ("session", 2): self = .session(parts[1] ?? "")
        case ("prompt", 2): self = .prompt(parts[1] ?? "")
        default: return nil
        }
    }

    static func path(ofCollection id: String) -> String { "\(root)/collection/\(id)" }
    static func path(of item: SecretItemID) -> String { "\(root)/collection/\(item.collection)/\(item.item)" }
    static func path(ofSession id: String) -> String { "\(root)/session/\(id)" }
    static func path(ofPrompt id: String) -> String { "\(root)/prompt/\(id)" }

    /// The path that stands for no object.
    static let none = "/"

    /// An id that a path can have: other bytes than letters and digits become `_xx`.
    static func identifier(for label: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in label.utf8.prefix(200) {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "_"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return bytes.isEmpty ? "unnamed" : String(decoding: bytes, as: UTF8.self)
    }
}

package struct SecretItemID: Sendable, Hashable {
    package let collection: String
    package let item: String

    package init(collection: String, item: String) {
        self.collection = collection
        self.item = item
    }
}
