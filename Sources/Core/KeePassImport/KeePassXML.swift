import Foundation
import KeychainCodes
import KeychainModel
package import PasswordImport

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Passwords in the XML that KeePassXC and KeePass 2 export: a tree of groups with entries, each of which has named texts.
/// Older states of an entry are left out, and what is in the recycle bin is marked as deleted.
package enum KeePassXML {
    /// - Throws: for what is no such file, is nested too deeply, or declares entities of its own.
    package static func read(_ bytes: [UInt8]) throws(ImportFailure) -> [ImportedPassword] {
        // An entity can name a file, or stand for a billion others. None of these programs declares any.
        guard isPlain(bytes) else {
            throw ImportFailure("the file declares entities, or is in another encoding than UTF-8, as no export is")
        }
        guard !hasInstructions(bytes) else {
            throw ImportFailure("the file has processing instructions, as no export has")
        }
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        let reader = Reader()
        parser.delegate = reader
        let isWhole = parser.parse()
        if let failure = reader.failure { throw failure }
        guard isWhole, reader.sawRoot, reader.isClosed else {
            throw ImportFailure("the file is no whole XML of KeePass")
        }
        return reader.passwords
    }

    /// Whether the bytes are what they seem to be, and have no declarations. In UTF-16 or UTF-7 those would look otherwise.
    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else { return false }
        return namesNoOtherEncoding(bytes) && bytes.firstRange(of: Array("<!DOCTYPE".utf8)) == nil
            && bytes.firstRange(of: Array("<!ENTITY".utf8)) == nil
    }

    /// The declaration may be of any length, and nothing of it is passed over.
    private static func namesNoOtherEncoding(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        guard text.starts(with: Array("<?".utf8)) else { return true }
        guard let end = text.firstRange(of: Array("?>".utf8)) else { return false }
        let declaration = String(decoding: text[..<end.lowerBound], as: UTF8.self).lowercased()
        return !declaration.contains("encoding") || declaration.contains("utf-8")
    }

    /// Whether the file has processing instructions beside an XML declaration at its beginning: Foundation's parser
    /// (swift-corelibs-foundation of Swift 6.3) ends the program at one without data.
    private static func hasInstructions(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
        let declaration = Array("<?xml".utf8)
        if rest.starts(with: declaration), rest.dropFirst(declaration.count).first.map(isSpace) ?? false {
            rest = rest.dropFirst(declaration.count)
        }
        return rest.firstRange(of: Array("<?".utf8)) != nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private final class Reader: NSObject, XMLParserDelegate {
        var passwords: [ImportedPassword] = []
        var failure: ImportFailure?
        var sawRoot = false

        private static let deepest = 64
        private var path: [String] = []
        private var folders: [String] = []
        private var recycleBin = ""
        /// The UUIDs of the groups around.
        private var groups: [String] = []
        private var entry: [String: String] = [:]
        /// What the entry has beside its texts.
        private var parts: Set<String> = []
        private var key = ""
        private var value = ""
        private var text = ""

        /// Whether each element has had its end; the parser itself takes a file that is cut short.
        var isClosed: Bool { path.isEmpty }

        private var isInHistory: Bool { path.contains("History") }

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            guard path.count < Self.deepest else {
                failure = ImportFailure("the XML is nested too deeply")
                return parser.abortParsing()
            }
            if path.isEmpty { sawRoot = name == "KeePassFile" }
            path.append(name)
            text = ""
            switch name {
            case "Group":
                folders.append("")
                groups.append("")
            case "Entry" where !isInHistory: (entry, parts) = ([:], [])
            case "Entry": parts.insert("older states")
            case "String": (key, value) = ("", "")
            default: break
            }
        }

        func parser(_ parser: XMLParser, foundCharacters characters: String) {
            text += characters
        }

        func parser(_ parser: XMLParser, foundCDATA block: Data) {
            text += String(decoding: block, as: UTF8.self)
        }

        func parser(
            _ parser: XMLParser,
            didEndElement name: String,
            namespaceURI: String?,
            qualifiedName: String?
        ) {
            defer {
                if !path.isEmpty { path.removeLast() }
                text = ""
            }
            let parent = path.dropLast().last
            switch name {
            case "RecycleBinUUID": recycleBin = text
            case "Name" where parent == "Group": if !folders.isEmpty { folders[folders.count - 1] = text }
            case "UUID" where parent == "Group": if !groups.isEmpty { groups[groups.count - 1] = text }
            case "Key" where parent == "String": key = text
            case "Value" where parent == "String": value = text
            case "String" where !isInHistory: entry[key] = value
            case "Binary" where !isInHistory && parent == "Entry": parts.insert("attachments")
            case "Tags" where !isInHistory && parent == "Entry" && !text.isEmpty: parts.insert("tags")
            case "Expires" where !isInHistory && text == "True": parts.insert("expiry")
            case "Entry" where !isInHistory: take()
            case "Group":
                folders = folders.dropLast()
                groups = groups.dropLast()
            default: break
            }
        }

        private static let placed: Set<String> = ["Title", "UserName", "URL", "Notes", "Password"]

        private func take() {
            var password = ImportedPassword()
            password.title = entry["Title"] ?? ""
            password.userName = entry["UserName"] ?? ""
            password.url = entry["URL"] ?? ""
            password.notes = entry["Notes"] ?? ""
            password.password = SecretBytes(Array((entry["Password"] ?? "").utf8))
            password.folder = folders.dropFirst().map { $0 }
            var placed = Self.placed
            var refusal: String?
            do throws(CodeFailure) {
                password.code = try OneTimeCode(keePassFields: entry)
                if password.code != nil { placed.formUnion(OneTimeCode.keePassFields) }
            } catch {
                refusal = "one-time code: \(error.message)"
            }
            password.unplaced =
                parts.sorted() + entry.filter { !placed.contains($0.key) && !$0.value.isEmpty }.map(\.key).sorted()
            if let refusal { password.unplaced.append(refusal) }
            password.isDeleted = !recycleBin.isEmpty && groups.contains(recycleBin)
            passwords.append(password)
        }
    }
}
