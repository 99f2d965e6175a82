import KeychainProtocol

/// How full a user's keychain is, in words.
struct RoomText {
    private let items: (used: Double, quota: Double)
    private let bytes: (used: Double, quota: Double)

    /// From this share of a quota on, the user should act.
    private static let scarcity = 0.9
    private static let mebibyte: Double = 1_048_576

    /// Nil where the keychain has no quota.
    init?(_ status: ServiceStatus) {
        let numbers = status.metrics
        guard let items = numbers["keychain_items"], let mostItems = numbers["keychain_items_quota"], mostItems > 0,
            let bytes = numbers["keychain_bytes"], let mostBytes = numbers["keychain_bytes_quota"], mostBytes > 0
        else { return nil }
        self.items = (items, mostItems)
        self.bytes = (bytes, mostBytes)
    }

    var isScarce: Bool { max(items.used / items.quota, bytes.used / bytes.quota) >= Self.scarcity }

    var sentence: String {
        let use =
            "it has \(Int(items.used)) of \(Int(items.quota)) items, and \(Self.size(bytes.used)) of "
            + "\(Self.size(bytes.quota)) MiB"
        guard isScarce else { return use }
        return use + ": once it is full, nothing can be added; delete items, or have root give you a larger quota"
    }

    /// In MiB, with one digit behind the point.
    private static func size(_ bytes: Double) -> String {
        let tenths = Int((bytes / mebibyte * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
