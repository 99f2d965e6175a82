/// What the sources of a package say about its way to Linux.
struct PortFindings {
    /// A line of a file.
    struct Place {
        let path: String
        let line: Int
        let text: String
    }

    private(set) var places: [PortTopic: [Place]] = [:]
    /// The folders of targets, which have their modules' names: a package may have a module `Network` itself.
    private let own: Set<String>

    /// The modules that every build by a toolset has.
    static let usualModules: Set = ["Security", "LocalAuthentication"]

    /// - Parameter provided: the keychain's modules that the build has.
    init(in files: [SourceFiles.File], provided: Set<String> = usualModules) {
        own = Set(files.compactMap { Self.folderOfTarget($0.path) })
        for file in files { read(file, CompilationConditions(provided: provided)) }
    }

    private mutating func read(_ file: SourceFiles.File, _ conditions: CompilationConditions) {
        var conditions = conditions
        let isSwift = file.path.hasSuffix(".swift")
        var imports: Set<String> = []
        var firstName: Place?
        var firstNetworkName: Place?
        if let name = file.path.split(separator: "/").last, ["LinuxMain.swift", "XCTestManifests.swift"].contains(name)
        {
            places[.testLists, default: []].append(Place(path: file.path, line: 1, text: String(name)))
        }
        for (index, line) in file.lines.enumerated() {
            let text = line.prefix(200).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if text.isEmpty || text.hasPrefix("//") { continue }
            let place = Place(path: file.path, line: index + 1, text: text)
            let wasTurnedOn = conditions.isTurnedOn
            if isSwift, conditions.read(text), conditions.isTurnedOn, !wasTurnedOn {
                places[.turnedOn, default: []].append(place)
            }
            if let module = Self.module(importedBy: text) {
                imports.insert(module)
                note(module, text, place, conditions)
                continue
            }
            for topic in Self.topics(of: text) { places[topic, default: []].append(place) }
            if firstName == nil, Self.namesSecurity(text) { firstName = place }
            if firstNetworkName == nil, conditions.isCompiled, Self.namesNetworking(text) { firstNetworkName = place }
        }
        if let firstNetworkName, isSwift, !imports.contains("FoundationNetworking") {
            places[.implicitNetworking, default: []].append(firstNetworkName)
        }
        if let firstName, isSwift, !imports.contains("Security") {
            places[.implicitSecurity, default: []].append(firstName)
        }
    }

    private mutating func note(_ module: String, _ text: String, _ place: Place, _ conditions: CompilationConditions) {
        switch module {
        case "Security":
            places[.security, default: []].append(place)
            if text.hasPrefix("private ") || text.hasPrefix("internal ") || text.hasPrefix("@_implementationOnly") {
                places[.hiddenImport, default: []].append(place)
            }
        case "LocalAuthentication": places[.localAuthentication, default: []].append(place)
        case "CryptoKit": places[.cryptoKit, default: []].append(place)
        case "CommonCrypto": places[.commonCrypto, default: []].append(place)
        case let module where PortTopic.appleModules.contains(module) && !own.contains(module) && conditions.isCompiled:
            places[conditions.isTurnedOn ? .turnedOnImport : .appleOnly, default: []].append(place)
        default: break
        }
    }

    /// `Network` of `Sources/Network/Client.swift`.
    static func folderOfTarget(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : nil
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
        if text.contains("as NSData).bytes") || text.contains("as NSData).mutableBytes")
            || text.firstMatch(of: /NSData\(data: ?[^)]*\)\.bytes/) != nil
        {
            topics.append(.dataPointer)
        }
        if text.contains("typealias OSStatus") { topics.append(.ownStatus) }
        if text.contains("bundleIdentifier") { topics.append(.bundleIdentifier) }
        if text.contains("Bundle(for:") { topics.append(.bundleForClass) }
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

    private static func namesNetworking(_ text: String) -> Bool {
        ["URLRequest", "URLSession", "HTTPURLResponse", "URLCredential", "HTTPCookie"].contains { text.contains($0) }
    }

    private static func namesSecurity(_ text: String) -> Bool {
        ["kSec", "SecItem", "errSec", "SecKeyC", "SecAccessControlC"].contains { text.contains($0) }
    }
}
