import Foundation

/// How macOS's command writes values.
enum AttributeText {
    static let missing = "<NULL>"

    /// Text in quotes if it is printable ASCII without a backslash; otherwise the bytes in hexadecimal, two blanks,
    /// and the text in quotes with octal escapes. Nothing for no bytes.
    static func quoted(bytes: some Collection<UInt8>) -> String {
        if bytes.isEmpty { return "" }
        if bytes.allSatisfy({ isPrintable($0) && $0 != UInt8(ascii: "\\") }) {
            return "\"\(String(decoding: bytes, as: UTF8.self))\""
        }
        return "0x\(Hexadecimal.uppercase(bytes))  \"\(bytes.reduce(into: "") { $0 += escaped($1) })\""
    }

    static func quoted(_ value: Any) -> String {
        switch value {
        case let string as String: quoted(bytes: string.utf8)
        case let data as Data: quoted(bytes: data)
        case let number as NSNumber: quoted(bytes: number.stringValue.utf8)
        default: ""
        }
    }

    /// Text as it is if it is printable ASCII; otherwise the bytes in hexadecimal.
    static func bare(bytes: some Collection<UInt8>) -> String {
        bytes.allSatisfy(isPrintable) ? String(decoding: bytes, as: UTF8.self) : Hexadecimal.lowercase(bytes)
    }

    static func blob(_ value: Any?) -> String {
        let text = value.map(quoted) ?? ""
        return text.isEmpty ? missing : text
    }

    /// A number as its four characters, or in hexadecimal with the blank that macOS leaves behind it. Text that stands
    /// where a number is expected, as protocols do, is written as it is.
    static func number(_ value: Any?) -> String {
        guard let number = value as? NSNumber else { return blob(value) }
        let code = FourCharacterCode(number: UInt32(truncatingIfNeeded: number.int64Value))
        return code.text.map { "\"\($0)\"" } ?? Hexadecimal.word(code.number) + " "
    }

    /// A date as the fifteen characters and the zero byte in which macOS keeps it.
    static func date(_ value: Any?) -> String {
        guard let date = value as? Date else { return missing }
        let fields = Calendar.universal.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let digits = [
            (fields.year, 4), (fields.month, 2), (fields.day, 2), (fields.hour, 2), (fields.minute, 2),
            (fields.second, 2),
        ].map { field, count in
            let text = String(field ?? 0)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return quoted(bytes: Array(digits.joined().utf8) + [UInt8(ascii: "Z"), 0])
    }

    static func isPrintable(_ byte: UInt8) -> Bool {
        0x20...0x7E ~= byte
    }

    private static func escaped(_ byte: UInt8) -> String {
        if isPrintable(byte), byte != UInt8(ascii: "\\") { return String(decoding: [byte], as: UTF8.self) }
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
}

extension Calendar {
    /// The calendar of stored dates.
    static let universal: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
