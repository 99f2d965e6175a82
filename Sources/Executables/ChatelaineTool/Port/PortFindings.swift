/// What the sources of a package say about its way to Linux.
struct PortFindings {
    /// A line of a file.
    struct Place {
        let path: String
        let line: Int
        let text: String
    }

    private(set) var places: [PortTopic: [Place]] = [:]

    init(in files: [SourceFiles.File]) {
        for file in files { read(file) }
    }

    private mutating func read(_ file: SourceFiles.File) {
        var imports: Set<String> = []
        var firstName: Place?
        for (index, line) in file.lines.enumerated() {
            let text = line.prefix(200).split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
            if text.isEmpty || text.hasPrefix("//") { continue }
            let place = Place(path: file.path, line: index + 1, text: text)
            if let module = Self.module(importedBy: text) {
                imports.insert(module)
                note(module, text, place)
                continue
            }
            for topic in Self.topics(of: text) { places[topic, default: []].append(place) }
            if firstName == nil, Self.namesSecurity(text) { firstName = place }
        }
        if let firstName, file.path.hasSuffix(".swift"), !imports.contains("Security") {
            places[.implicitSecurity, default: []].append(firstName)
        }
    }

    private mutating func note(_ module: String, _ text: String, _ place: Place) {
        switch module {
        case "Security":
            places[.security, default: []].append(place)
            if text.hasPrefix("private ") || text.hasPrefix("internal ") || text.hasPrefix("@_implementationOnly") {
                places[.hiddenImport, default: []].append(place)
            }
        case "LocalAuthentication": places[.localAuthentication, default: []].append(place)
        case "CryptoKit": places[.cryptoKit, default: []].append(place)
        case "CommonCrypto": places[.commonCrypto, default: []].append(place)
        case let module where PortTopic.appleModules.contains(module):
            places[.appleOnly, default: []].append(place)
        default: break
        }
    }

    /// The module of `import M`, `import struct M.T`, `@testable import M`, `#import <M/M.h>`.
    static func module(importedBy text: String) -> String? {
        let words = text.split(separator: " ")
        if let first = words.first, first == "#import" || first == "#include" || first == "@import" {
            guard words.count > 1 else { return nil }
            return words[1].split { "<>/\";".contains($0) }.first.map(String.init)
        }
        let before: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        guard let position = words.firstIndex(of: "import"),
            words[..<position].allSatisfy({ $0.hasPrefix("@") || before.contains($0) })
        else { return nil }
        let name = words[(position + 1)...].first { !kinds.contains($0) }
        return name?.split { ".;".contains($0) }.first.map(String.init)
    }

    private static func topics(of text: String) -> [PortTopic] {
        var topics: [PortTopic] = []
        if text.contains("serverTrust") || text.contains("NSURLAuthenticationMethodServerTrust") {
            topics.append(.serverTrust)
        }
        if text.contains("@objc") || text.contains("#selector") || text.contains("#keyPath") {
            topics.append(.objectiveC)
        }
        if text.contains("kSecAttrAccessGroup") { topics.append(.accessGroups) }
        if text.contains("kSecUseDataProtectionKeychain") { topics.append(.dataProtection) }
        if text.hasPrefix("#if"), text.contains("os("), !text.contains("Linux") { topics.append(.platformCondition) }
        for kind in ["struct ", "class ", "enum ", "typealias "] where text.contains(kind + "Sec") {
            if ["SecAccessControl", "SecKey", "SecCertificate", "SecIdentity", "SecTrust"].contains(where: {
                Self.isDeclared($0, by: kind, in: text)
            }) {
                topics.append(.ownSecurityTypes)
            }
        }
        return topics
    }

    private static func isDeclared(_ name: String, by kind: String, in text: String) -> Bool {
        guard let range = text.firstRange(of: kind + name) else { return false }
        return text[range.upperBound...].first.map { !$0.isLetter && !$0.isNumber } ?? true
    }

    private static func namesSecurity(_ text: String) -> Bool {
        ["kSec", "SecItem", "errSec", "SecKeyC", "SecAccessControlC"].contains { text.contains($0) }
    }
}
