// Writes the constants of the C headers, and the file that defines them, after those of the Swift surface, so that the
// two are the same.
//
//   swift scripts/c-constants.swift FOLDER     FOLDER is Sources/Facades/CSecurity, or a copy to compare it with
//
// A public constant that it does not understand ends it with 1: nothing may be left out in silence.

import Foundation

/// The headers, each with the Swift files, by the beginning of their names, whose constants it has.
let headers: [(name: String, includes: [String], sources: [String])] = [
    ("SecBaseStatus", ["Security/SecBase"], ["ErrorCodes"]),
    (
        "SecItemConstants", ["Security/SecBase"],
        [
            "Classes", "AttributeKeys", "AccessibilityValues", "InternetValues", "KeyValues", "MatchKeys", "ReturnKeys",
            "UseKeys", "ValueKeys",
        ]
    ),
    ("SecAccessControlConstants", ["Security/SecBase"], ["SecAccessControl"]),
    ("SecKeyConstants", ["Security/SecBase"], ["Algorithms", "KeyGeneration", "KeyOperations", "SecKey"]),
    ("SecCertificateConstants", ["Security/SecBase"], ["SecCertificate", "ObjectIdentifiers", "PropertyKeys"]),
    ("SecImportExportConstants", ["Security/SecBase"], ["ImportExport", "SecImportExport", "SecSharedCredential"]),
    ("SecPolicyConstants", ["Security/SecBase"], ["Policy", "SecPolicy"]),
    ("SecTrustConstants", ["Security/SecBase"], ["Trust", "SecTrust"]),
]

/// The constants of a Swift type are its members; in C their names begin with this.
let prefixes = [
    "SecAccessControlCreateFlags": "kSecAccessControl",
    "SecExternalFormat": "kSec",
    "SecExternalItemType": "kSec",
    "SecItemImportExportFlags": "kSecItem",
    "SecKeyAlgorithm": "kSecKeyAlgorithm",
    "SecKeyImportExportFlags": "kSecKey",
    "SecKeyKeyExchangeParameter": "kSecKeyKeyExchangeParameter",
    "SecKeyOperationType": "kSecKeyOperationType",
    "SecPadding": "kSecPadding",
    "SecTrustOptionFlags": "kSecTrustOption",
    "SecTrustResultType": "kSecTrustResult",
]

/// What Swift writes as an empty set has a name in C.
let empty = ["SecPadding": "kSecPaddingNone"]

/// The integer types of the enumerations, where C calls them otherwise than Swift.
let integers = ["UInt32": "uint32_t", "UInt": "CFOptionFlags", "Int32": "int32_t"]

func die(_ message: String) -> Never {
    FileHandle.standardError.write(Data("c-constants.swift: \(message)\n".utf8))
    exit(1)
}

/// What one Swift file adds to a header, in its order.
struct Section {
    var text = ""
    var names: [String] = []
    var strings: [(type: String, name: String, value: String)] = []
}

struct Reader {
    /// A type whose members are constants.
    struct Scope {
        var name: String
        var isOptionSet = false
        var isEnumeration = false
        var integer = ""
        var members: [(name: String, value: String, comment: [String])] = []
    }

    let file: String
    var section = Section()
    private var comment: [String] = []
    private var scope: Scope?
    private var enumeration: String?

    init(file: String) {
        self.file = file
    }

    mutating func read(_ source: String) {
        // A declaration that goes on is put on one line.
        let joined =
            source
            .replacing(/(CFString!?|CFTypeRef|CFOptionFlags) =\n +/) { "\($0.1) = " }
            .replacing(/(\w+)\(\n +rawValue: (.*)\n +\)/) { "\($0.1)(rawValue: \($0.2))" }
        for line in joined.split(separator: "\n", omittingEmptySubsequences: false) { read(line: String(line)) }
        endEnumeration()
    }

    private mutating func read(line: String) {
        let text = line.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("///") {
            comment.append(text)
            return
        }
        defer { if !text.hasPrefix("@") || text.contains(" let ") { comment = [] } }
        if let mark = text.wholeMatch(of: /\/\/ MARK: (.*)/) {
            if scope == nil {
                endEnumeration()
                section.text += "\n// \(mark.1)\n"
            }
        } else if let string = text.wholeMatch(of: /(?:@.* )?public let (\w+): CFString!? = "([^"\\]*)"/) {
            add(string: String(string.1), value: String(string.2), type: "CFStringRef")
        } else if let status = text.wholeMatch(of: /public var (\w+): OSStatus \{ (.+) \}/) {
            add(number: String(status.1), value: String(status.2), type: "OSStatus")
        } else if let flags = text.wholeMatch(of: /public var (\w+): CFOptionFlags \{ (.+) \}/) {
            add(number: String(flags.1), value: String(flags.2), type: "CFOptionFlags")
        } else if let type = text.firstMatch(of: #/^(?:public (?:struct|enum|final class)|extension) (\w+)(.*)\{$/#) {
            open(String(type.1), String(type.2))
        } else if line == "}" {
            close()
        } else if scope != nil {
            read(member: text)
        } else if !line.hasPrefix(" "), text.contains(#/^(@.* )?public (let|var) /#), !isWrittenByHand(text) {
            die("\(file): not understood: \(text)")
        }
    }

    /// What is no string and no number stands in the headers that people write.
    private func isWrittenByHand(_ text: String) -> Bool {
        ["kSecRandomDefault", "SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION"].contains { text.hasPrefix("public let \($0): ") }
    }

    private mutating func read(member text: String) {
        guard let name = scope?.name else { return }
        if let integer = text.wholeMatch(of: /public let rawValue: (U?Int\d*|CFOptionFlags)/) {
            scope?.integer = String(integer.1)
            return
        }
        if let string = text.wholeMatch(of: /public static let (\w+) = (\w+)\(rawValue: "([^"\\]*)"\)/) {
            add(string: Self.cName(String(string.1), in: name), value: String(string.3), type: name)
        } else if let member = text.wholeMatch(of: /public static (?:let|var) (\w+)(?:: \w+)? (?:= |\{ )(.+?)(?: \})?/)
        {
            guard scope?.isOptionSet == true else { die("\(file): not understood: \(text)") }
            let value = String(member.2)
            let raw = value.firstMatch(of: /rawValue: (.+)\)/).map { String($0.1) }
            scope?.members.append((Self.cName(String(member.1), in: name), raw ?? Self.cName(value, in: name), comment))
        } else if scope?.isEnumeration == true, let member = text.wholeMatch(of: /case `?(\w+)`? = (.+)/) {
            scope?.members.append((Self.cName(String(member.1), in: name), String(member.2), comment))
        }
    }

    private mutating func open(_ name: String, _ rest: String) {
        guard prefixes[name] != nil else {
            if rest.contains("OptionSet") || rest.contains(#/: U?Int\d*,/#) { die("\(file): no prefix for \(name)") }
            return
        }
        scope = Scope(name: name)
        if rest.contains("RawRepresentable") {
            endEnumeration()
            section.text += "\n" + comment.map { $0 + "\n" }.joined() + "typedef CFStringRef \(name) CF_STRING_ENUM;\n"
        }
        scope?.isOptionSet = rest.contains("OptionSet")
        if let integer = rest.firstMatch(of: #/^: (\w*(?:Int|Index)\w*)/#) {
            scope?.isEnumeration = true
            scope?.integer = String(integer.1)
        }
        if scope?.isOptionSet == true, let empty = empty[name] { scope?.members.append((empty, "0", ["/// None."])) }
    }

    private mutating func close() {
        defer { scope = nil }
        guard let scope, !scope.members.isEmpty else { return }
        endEnumeration()
        let macro = scope.isOptionSet ? "CF_OPTIONS" : "CF_ENUM"
        section.text += "\ntypedef \(macro)(\(integers[scope.integer] ?? scope.integer), \(scope.name)) {\n"
        for member in scope.members {
            for line in member.comment { section.text += "    \(line)\n" }
            // A shift to the sign's place needs an unsigned number.
            let value = member.value.replacing("1 << ", with: "1U << ")
            section.text += "    \(member.name) = \(value),\n"
            section.names.append(member.name)
        }
        section.text += "};\n"
    }

    private mutating func add(string name: String, value: String, type: String) {
        endEnumeration()
        section.text += "\n" + comment.map { $0 + "\n" }.joined() + "CF_EXPORT const \(type) \(name);\n"
        section.strings.append((type, name, value))
        section.names.append(name)
    }

    /// Numbers of one type that follow one another are one enumeration.
    private mutating func add(number name: String, value: String, type: String) {
        if enumeration != type {
            endEnumeration()
            section.text += "\nCF_ENUM(\(type)) {\n"
            enumeration = type
        } else {
            section.text += "\n"
        }
        let value = value.replacing("1 << ", with: "1U << ")
        section.text += comment.map { "    \($0)\n" }.joined() + "    \(name) = \(value),\n"
        section.names.append(name)
    }

    private mutating func endEnumeration() {
        if enumeration != nil { section.text += "};\n" }
        enumeration = nil
    }

    /// `rsaSignatureRaw` of `SecKeyAlgorithm` is `kSecKeyAlgorithmRSASignatureRaw`.
    private static func cName(_ member: String, in type: String) -> String {
        let abbreviations = ["ecdsa", "ecdh", "ecies", "rsa", "pkcs"]
        let abbreviation = abbreviations.first { member.hasPrefix($0) && prefixes[type] == "kSecKeyAlgorithm" }
        let first = abbreviation ?? String(member.prefix(1))
        return (prefixes[type] ?? "") + first.uppercased() + member.dropFirst(first.count)
    }
}

func guardName(_ header: String) -> String {
    "SECURITY_" + header.replacing(/([a-z])([A-Z])/) { "\($0.1)_\($0.2)" }.uppercased() + "_H"
}

guard CommandLine.arguments.count == 2 else { die("which folder?") }
let folder = URL(fileURLWithPath: CommandLine.arguments[1])
let facades = ["Sources/Facades/Security", "Sources/Core/SecurityObjects"]
let sources = facades.flatMap { facade in
    (FileManager.default.enumerator(atPath: facade)?.compactMap { $0 as? String } ?? []).map { "\(facade)/\($0)" }
}.filter {
    // What is declared there are Foundation's names, which C has not.
    $0.hasSuffix(".swift") && !$0.contains("/Networking/")
}.sorted()

var sections: [(file: String, section: Section)] = []
for path in sources {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { die("cannot read \(path)") }
    let file = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    var reader = Reader(file: path)
    reader.read(text)
    if !reader.section.names.isEmpty { sections.append((file, reader.section)) }
}

let notice = "// Generated by scripts/c-constants.sh from the Swift sources: change those.\n"
var definitions = notice + "\n#include \"ConstantString.h\"\n"
for header in headers {
    // The longest beginning that fits decides.
    let chosen = header.sources.flatMap { source in
        sections.filter { section in
            let all = headers.flatMap(\.sources).filter { section.file.hasPrefix($0) }
            return all.max { $0.count < $1.count } == source
        }
    }
    var text = notice + "\n#ifndef \(guardName(header.name))\n#define \(guardName(header.name))\n\n"
    for include in header.includes { text += "#include <\(include).h>\n" }
    text += "\n#ifdef SECURITY_CAN_COMPILE\n\nCF_EXTERN_C_BEGIN\n"
    for entry in chosen {
        text += entry.section.text
        for string in entry.section.strings {
            definitions += "SECURITY_CONSTANT(\(string.name), \"\(string.value)\")\n"
        }
        sections.removeAll { $0.file == entry.file }
    }
    text += "\nCF_EXTERN_C_END\n\n#endif\n#endif\n"
    let url = folder.appendingPathComponent("include/Security/\(header.name).h")
    do { try text.write(to: url, atomically: true, encoding: .utf8) } catch { die("cannot write \(url.path)") }
}
guard sections.isEmpty else { die("no header for \(sections.map(\.file))") }
do {
    try definitions.write(to: folder.appendingPathComponent("Constants.c"), atomically: true, encoding: .utf8)
} catch { die("cannot write Constants.c") }
