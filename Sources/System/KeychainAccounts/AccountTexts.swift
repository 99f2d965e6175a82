import Glibc

/// Room for the texts of an entry: of any length, since a group lists its members.
enum AccountTexts {
    private static let least = 16 << 10
    private static let most = 16 << 20

    /// Looks for an entry with more and more room, until it is enough.
    ///
    /// - Parameters:
    ///   - look: looks with so much room; returns the status, and whether there is an entry.
    ///   - read: makes a value of the entry, while its texts are there.
    static func withRoom<Value>(
        _ look: (UnsafeMutablePointer<CChar>, Int) -> (status: Int32, isFound: Bool),
        reading read: () -> Value
    ) -> Value? {
        var size = least
        while size <= most {
            let start = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { unsafe start.deallocate() }
            let (status, isFound) = unsafe look(start, size)
            if status == 0 { return isFound ? read() : nil }
            guard status == ERANGE || status == EINTR else { return nil }
            if status == ERANGE { size *= 2 }
        }
        return nil
    }
}
