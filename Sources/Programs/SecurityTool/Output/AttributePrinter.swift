import Foundation
import KeychainClient
import KeychainModel
import Terminal

/// Writes items as macOS's command does.
struct AttributePrinter {
    private let keychain: String

    init(_ keychain: String = currentKeychain) {
        self.keychain = TerminalText.escaped(keychain)
    }

    /// Where the items are that the calls of this moment find.
    static var currentKeychain: String {
        switch try? KeychainLocation.current() {
        case .embedded(let directory): directory + "/keychain.db"
        case .memory: "memory:"
        case .service(let address): address.path
        case nil: ""
        }
    }

    /// The item with its attributes, one a line.
    func text(for item: KeychainItem) -> String { text(item.itemClass, item.attributes) }

    func text(_ itemClass: ItemClass, _ attributes: [String: Any]) -> String {
        // A Mac has a number for this class, and a blank behind it.
        let name = itemClass == .certificate ? "0x80001000 " : "\"\(itemClass.rawValue)\""
        var lines = ["keychain: \"\(keychain)\"", "version: 512", "class: \(name)", "attributes:"]
        lines += Self.layout(of: itemClass, attributes).map { line in
            let value = attributes[line.key]
            let text =
                switch line.type {
                case .blob: AttributeText.blob(value)
                case .uint32, .sint32: AttributeText.number(value)
                case .timedate: AttributeText.date(value)
                }
            return "    \(line.name)<\(line.type)>=\(text)"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The line that `-g` adds.
    static func passwordLine(_ password: Data?) -> String {
        "password: " + AttributeText.quoted(bytes: password ?? Data()) + "\n"
    }

    private enum ValueType: String {
        case blob, uint32, sint32, timedate
    }

    private struct Line {
        let name: String
        let key: String
        let type: ValueType

        init(_ key: String, _ type: ValueType, name: String? = nil) {
            self.key = key
            self.type = type
            self.name = name ?? "\"\(key)\""
        }
    }

    // The label and the alias have numbers on a Mac instead of names.
    private static let heading = [
        Line("labl", .blob, name: "0x00000007 "), Line("alis", .blob, name: "0x00000008 "),
    ]

    private static let genericPassword =
        heading + [
            Line("acct", .blob), Line("cdat", .timedate), Line("crtr", .uint32), Line("cusi", .sint32),
            Line("desc", .blob), Line("gena", .blob), Line("icmt", .blob), Line("invi", .sint32),
            Line("mdat", .timedate), Line("nega", .sint32), Line("prot", .blob), Line("scrp", .sint32),
            Line("svce", .blob), Line("type", .uint32),
        ]

    private static let internetPassword =
        heading + [
            Line("acct", .blob), Line("atyp", .blob), Line("cdat", .timedate), Line("crtr", .uint32),
            Line("cusi", .sint32), Line("desc", .blob), Line("icmt", .blob), Line("invi", .sint32),
            Line("mdat", .timedate), Line("nega", .sint32), Line("path", .blob), Line("port", .uint32),
            Line("prot", .blob), Line("ptcl", .uint32), Line("scrp", .sint32), Line("sdmn", .blob),
            Line("srvr", .blob), Line("type", .uint32),
        ]

    /// Some of a certificate's attributes have other names in a Mac's keychain file.
    private static let certificate = [
        Line("alis", .blob), Line("cenc", .uint32), Line("ctyp", .uint32), Line("pkhh", .blob, name: "\"hpky\""),
        Line("issr", .blob, name: "\"issu\""), Line("labl", .blob), Line("skid", .blob),
        Line("slnr", .blob, name: "\"snbr\""), Line("subj", .blob),
    ]

    /// The lines of a class. Keys have other attributes here than in a Mac's keychain file, so theirs are written as they
    /// are.
    private static func layout(of itemClass: ItemClass, _ attributes: [String: Any]) -> [Line] {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .certificate: certificate
        case .key, .identity:
            heading
                + attributes.sorted { $0.key < $1.key }.compactMap { key, value in
                    if ["labl", "alis", "accc"].contains(key) { return nil }
                    switch value {
                    case is String, is Data: return Line(key, .blob)
                    case is NSNumber: return Line(key, .uint32)
                    case is Date: return Line(key, .timedate)
                    default: return nil
                    }
                }
        }
    }
}
