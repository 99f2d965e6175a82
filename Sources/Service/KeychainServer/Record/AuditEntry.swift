import Glibc
import KeychainModel
import KeychainProtocol

/// One operation, as the record tells of it: no value, and neither account nor service.
struct AuditEntry: Sendable {
    let time: timespec
    let uid: UInt32
    let caller: String
    let kind: ServiceIdentity.Kind?
    /// The program for which the caller says that it asks.
    var onBehalfOf: String?
    let operation: String
    let itemClass: ItemClass?
    let groups: [String]
    let outcome: String
    let count: Int?
    let rows: [ItemUUID]

    /// A line of JSON.
    var line: String {
        var line = "{\"time\":\"\(timeText)\",\"uid\":\(uid),\"caller\":\(Self.quoted(caller))"
        if let kind { line += ",\"kind\":\"\(kind)\"" }
        if let onBehalfOf { line += ",\"onBehalfOf\":\(Self.quoted(onBehalfOf))" }
        line += ",\"operation\":\"\(operation)\""
        if let itemClass { line += ",\"class\":\"\(itemClass.rawValue)\"" }
        if !groups.isEmpty { line += ",\"groups\":[\(groups.map(Self.quoted).joined(separator: ","))]" }
        line += ",\"outcome\":\"\(outcome)\""
        if let count { line += ",\"count\":\(count)" }
        if !rows.isEmpty { line += ",\"rows\":[\(rows.map { "\"\($0)\"" }.joined(separator: ","))]" }
        return line + "}\n"
    }

    private var timeText: String {
        var seconds = time.tv_sec
        var parts = unsafe tm()
        _ = unsafe gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = unsafe [digits(parts.tm_year + 1900, 4), digits(parts.tm_mon + 1, 2), digits(parts.tm_mday, 2)]
        let hour = unsafe [digits(parts.tm_hour, 2), digits(parts.tm_min, 2), digits(parts.tm_sec, 2)]
        return date.joined(separator: "-") + "T" + hour.joined(separator: ":") + "."
            + digits(Int32(time.tv_nsec / 1_000_000), 3) + "Z"
    }

    /// A caller's name stays within its quotes and its line, with any characters in it.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars.prefix(256) {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || Self.isInvisible(scalar):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Line separators, and what changes the direction of text on a terminal.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        (0x200B...0x200F).contains(scalar.value) || (0x2028...0x202E).contains(scalar.value)
            || (0x2060...0x206F).contains(scalar.value)
    }
}

extension AuditEntry {
    static var now: timespec {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return time
    }

    /// A connection that was refused because of who it is from.
    init(refusing error: KeychainError, uid: UInt32, pid: Int32) {
        self.init(
            time: Self.now,
            uid: uid,
            caller: "pid \(pid)",
            kind: nil,
            operation: "connect",
            itemClass: nil,
            groups: [],
            outcome: "\(error.code)",
            count: nil,
            rows: []
        )
    }
}
