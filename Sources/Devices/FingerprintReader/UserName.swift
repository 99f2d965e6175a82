/// Names of users, as fprintd makes folders of them.
enum UserName {
    /// Whether a name stays one step of a path, and one text on the bus.
    static func isUsable(_ name: String) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && bytes.count <= 255 && name != "." && name != ".."
            && !bytes.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f }
    }
}
