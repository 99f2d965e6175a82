import KeychainProtocol

/// How full a user's keychain is, in words.
struct RoomText {
    private let room: KeychainRoom

    /// From this share of a quota on, the user should act.
    private static let scarcity = 0.9
    private static let mebibyte: Double = 1_048_576

    /// Nil where the keychain has no quota.
    init?(_ room: KeychainRoom) {
        guard room.items.quota > 0, room.bytes.quota > 0 else { return nil }
        self.room = room
    }

    var isScarce: Bool { max(Self.part(room.items), Self.part(room.bytes)) >= Self.scarcity }

    private static func part(_ share: KeychainRoom.Share) -> Double { Double(share.used) / Double(share.quota) }

    var sentence: String {
        let use =
            "it has \(room.items.used) of \(room.items.quota) items, and \(Self.size(room.bytes.used)) of "
            + "\(Self.size(room.bytes.quota)) MiB"
        guard isScarce else { return use }
        return use + ": once it is full, nothing can be added; delete items, or have root give you a larger quota"
    }

    /// In MiB, with one digit behind the point.
    private static func size(_ bytes: Int) -> String {
        let tenths = Int((Double(bytes) / mebibyte * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
