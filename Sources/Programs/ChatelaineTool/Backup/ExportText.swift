import Foundation
import KeychainModel
import Terminal

/// The text of an export, item by item.
protocol ExportText {
    var start: String { get }
    /// - Returns: nil for an item that has no place in it.
    mutating func text(of item: BackupItem) -> String?
    var end: String { get }
}

extension BackupItem {
    /// An attribute as people read it; nil where it is not there or is no text.
    fileprivate func text(_ key: AttributeKey) -> String? {
        switch attributes[key] {
        case .string(let text): text
        case .integer(let number): String(number)
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    fileprivate var value: [UInt8]? {
        guard let secret = secrets[.valueData] else { return nil }
        return unsafe secret.withUnsafeBytes { unsafe Array($0) }
    }
}

/// The columns of Apple's Passwords, which other programs read too.
struct CSVExport: ExportText {
    let start = "Title,URL,Username,Password,Notes\r\n"
    let end = ""

    /// Passwords that are text.
    func text(of item: BackupItem) -> String? {
        guard item.itemClass == .genericPassword || item.itemClass == .internetPassword,
            let value = item.value.flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        let title = item.text(.label) ?? item.text(.server) ?? item.text(.service) ?? ""
        let fields = [title, Self.url(of: item), item.text(.account) ?? "", value, item.text(.comment) ?? ""]
        return fields.map(Self.quoted).joined(separator: ",") + "\r\n"
    }

    private static let schemes = [
        "http": "http", "htps": "https", "ftp ": "ftp", "ftps": "ftps", "ssh ": "ssh", "smb ": "smb", "imap": "imap",
        "imps": "imaps", "pop3": "pop3", "smtp": "smtp", "ldap": "ldap", "ldps": "ldaps",
    ]

    private static func url(of item: BackupItem) -> String {
        guard item.itemClass == .internetPassword, let server = item.text(.server), !server.isEmpty else { return "" }
        let scheme = item.text(.networkProtocol).flatMap { schemes[$0] } ?? "https"
        let port = item.text(.port).flatMap { $0 == "0" || $0.isEmpty ? nil : ":" + $0 } ?? ""
        return "\(scheme)://\(server)\(port)\(item.text(.path) ?? "")"
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return field }
        return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}

/// An array of objects: class, access group, accessibility, attributes by their keys, and secrets in base64.
struct JSONExport: ExportText {
    let start = "[\n"
    let end = "\n]\n"
    private var isFirst = true

    mutating func text(of item: BackupItem) -> String? {
        let attributes = item.attributes.entries.map { entry in
            let value: JSONText =
                switch entry.value {
                case .string(let text): .string(text)
                case .data(let bytes): .object([("base64", .string(Data(bytes).base64EncodedString()))])
                case .integer(let number): .number(number)
                case .real(let number): .real(number)
                case .date(let seconds): .string(BackupText.date(seconds))
                }
            return (key: "\(entry.key)", value: value)
        }
        let secrets = item.secrets.map { key, secret in
            let text = unsafe secret.withUnsafeBytes { unsafe Data($0) }.base64EncodedString()
            return (key: "\(key)", value: JSONText.string(text))
        }
        let object = JSONText.object([
            ("accessGroup", .string(item.accessGroup)),
            ("accessible", .string(item.accessibility.rawValue)),
            ("attributes", .object(attributes.sorted { $0.key < $1.key })),
            ("class", .string(item.itemClass.rawValue)),
            ("secrets", .object(secrets.sorted { $0.key < $1.key })),
            ("synchronizable", .bool(item.isSynchronizable)),
        ])
        defer { isFirst = false }
        return (isFirst ? "" : ",\n") + object.line
    }
}
