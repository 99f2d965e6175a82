import Foundation
import KeychainCodes
import KeychainModel
import Terminal

/// The text of an export in UTF-8, item by item.
protocol ExportText {
    func start() -> [UInt8]
    /// Looks at each item before the first one is written.
    mutating func note(_ item: BackupItem)
    /// - Returns: nil for an item that has no place in it.
    mutating func text(of item: BackupItem) -> [UInt8]?
    mutating func end() -> [UInt8]
    /// What the format has no place for, each with the reason.
    var unwritten: [String] { get }
}

extension ExportText {
    mutating func note(_ item: BackupItem) {}
    var unwritten: [String] { [] }
}

extension BackupItem {
    /// An attribute as people read it; nil where it is not there or is no text.
    func text(_ key: AttributeKey) -> String? {
        switch attributes[key] {
        case .string(let text): text
        case .integer(let number): String(number)
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// The value, where it is text.
    var valueText: String? {
        guard let secret = secrets[.valueData] else { return nil }
        return unsafe secret.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }

    /// Of the server that an Internet password is for; empty where there is none.
    var url: String {
        guard itemClass == .internetPassword, let server = text(.server), !server.isEmpty else { return "" }
        let scheme = text(.networkProtocol).flatMap(NetworkProtocol.scheme) ?? "https"
        let port = text(.port).flatMap { $0 == "0" || $0.isEmpty ? nil : ":" + $0 } ?? ""
        return "\(scheme)://\(server)\(port)\(text(.path) ?? "")"
    }
}

/// The password that a one-time code goes with.
struct CodeKey: Hashable {
    let place: String
    let account: String
}

/// The columns of Apple's Passwords, which other programs read too.
struct CSVExport: ExportText {
    func start() -> [UInt8] { Array("Title,URL,Username,Password,Notes,OTPAuth\r\n".utf8) }

    /// The one-time codes that stand in no line yet, by what they go with.
    private var codes: [CodeKey: (title: String, address: String)] = [:]

    mutating func note(_ item: BackupItem) {
        guard let place = CodeItem.place(of: item.attributes), let address = item.valueText else { return }
        codes[CodeKey(place: place, account: item.text(.account) ?? "")] = (item.text(.label) ?? place, address)
    }

    /// The codes without a password.
    func end() -> [UInt8] {
        codes.sorted { ($0.key.place, $0.key.account) < ($1.key.place, $1.key.account) }
            .flatMap { Self.line([$0.value.title, "", $0.key.account, "", "", $0.value.address]) }
    }

    /// Passwords that are text.
    mutating func text(of item: BackupItem) -> [UInt8]? {
        guard item.itemClass == .genericPassword || item.itemClass == .internetPassword,
            CodeItem.place(of: item.attributes) == nil, let value = item.valueText
        else { return nil }
        let place = item.text(.server) ?? item.text(.service) ?? ""
        let account = item.text(.account) ?? ""
        let code = codes.removeValue(forKey: CodeKey(place: place, account: account))?.address ?? ""
        return Self.line([
            item.text(.label) ?? place, item.url, account, value, item.text(.comment) ?? "", code,
        ])
    }

    private static func line(_ fields: [String]) -> [UInt8] {
        Array((fields.map(quoted).joined(separator: ",") + "\r\n").utf8)
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return field }
        return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}

/// An array of objects: class, access group, accessibility, attributes by their keys, and secrets in base64.
struct JSONExport: ExportText {
    func start() -> [UInt8] { Array("[\n".utf8) }
    func end() -> [UInt8] { Array("\n]\n".utf8) }
    private var isFirst = true

    mutating func text(of item: BackupItem) -> [UInt8]? {
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
        return Array(((isFirst ? "" : ",\n") + object.line).utf8)
    }
}
