package import KeychainModel

/// The quotas of a machine's users, as an administrator has written them down (`/etc/chatelaine/quotas`).
///
///     default 256M 100000
///     alice   1G   200000
///     1003    64M  20000
package struct QuotaTable: Sendable, Equatable {
    package var standard: StorageQuota.Limit
    package var users: [UInt32: StorageQuota.Limit]

    package init(standard: StorageQuota.Limit, users: [UInt32: StorageQuota.Limit] = [:]) {
        self.standard = standard
        self.users = users
    }

    package func limit(of uid: UInt32) -> StorageQuota.Limit { users[uid] ?? standard }

    /// Of two tables the smaller number for each user.
    func tightened(by other: QuotaTable) -> QuotaTable {
        var users: [UInt32: StorageQuota.Limit] = [:]
        for uid in Set(self.users.keys).union(other.users.keys) {
            users[uid] = limit(of: uid).tightened(by: other.limit(of: uid))
        }
        return QuotaTable(standard: standard.tightened(by: other.standard), users: users)
    }

    /// A line that says nothing that a quota can be.
    package struct BadLine: Error, Equatable {
        package let number: Int
        package let reason: String
    }

    /// Reads what an administrator has written.
    ///
    /// - Parameters:
    ///   - standard: for users whom no line names.
    ///   - uid: the number of a user's name.
    package static func parse(
        _ text: String,
        standard: StorageQuota.Limit,
        uid: (String) -> UInt32?
    ) -> (table: QuotaTable, bad: [BadLine]) {
        var table = QuotaTable(standard: standard)
        var bad: [BadLine] = []
        var hasDefault = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let name = words.first else { continue }
            func refuse(_ reason: String) { bad.append(BadLine(number: index + 1, reason: reason)) }
            guard words.count == 3 else {
                refuse("it has to be a user, bytes and items")
                continue
            }
            guard let bytes = number(words[1], atLeast: leastBytes), let items = number(words[2], atLeast: 0) else {
                refuse("it has to have two numbers: bytes (4M at least) and items; K, M and G multiply by 1024")
                continue
            }
            let limit = StorageQuota.Limit(bytes: bytes, items: items)
            if name == "default" {
                if hasDefault { refuse("there is a default already") } else { table.standard = limit }
                hasDefault = true
            } else if let uid = UInt32(name) ?? uid(name) {
                if table.users[uid] != nil { refuse("there is a line for the same user already") }
                table.users[uid] = table.users[uid] ?? limit
            } else {
                refuse("there is no such user")
            }
        }
        return (table, bad)
    }

    /// An empty keychain has some pages, and what deletes needs some.
    private static let leastBytes: Int64 = 4 << 20

    /// - Returns: nil for what is no whole number, or one that is out of all reason.
    package static func number(_ text: String, atLeast least: Int64) -> Int64? {
        let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? Substring(text) : text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
        else { return nil }
        let (value, isTooMuch) = number.multipliedReportingOverflow(by: unit ?? 1)
        return isTooMuch || value < least || value > most ? nil : value
    }

    /// 1 TiB, or as many items: more is a slip of the pen.
    private static let most: Int64 = 1 << 40
}
