// Compares the functions that the C headers declare with those that Swift defines for C: names, and for each parameter and
// the result whether it is a pointer, or how wide a number it is. The linker compares names only.
//
//   swift scripts/c-signatures.swift
//
// Says what differs and ends with 1, or says nothing and ends with 0.

import Foundation

/// How a value is passed: as a pointer, as an integer of so many bytes, as a floating-point number, or not at all.
enum Passing: String {
    case pointer, eightBytes, fourBytes, oneByte, real, nothing
}

let widths: [(names: [String], passing: Passing)] = [
    (
        [
            "size_t", "Int", "CFIndex", "CFOptionFlags", "CFTypeID", "SecAccessControlCreateFlags",
            "SecKeyOperationType",
        ], .eightBytes
    ),
    (
        [
            "OSStatus", "int", "Int32", "uint32_t", "UInt32", "SecPadding", "SecKeySize", "SecKeyEncoding",
            "SecPasswordType", "SecExternalFormat", "SecExternalItemType", "SecItemImportExportFlags",
            "SecTrustOptionFlags",
        ], .fourBytes
    ),
    (["Boolean", "bool", "Bool", "UInt8"], .oneByte),
    (["CFAbsoluteTime"], .real),
    (["void", "Void", ""], .nothing),
]

func die(_ message: String) -> Never {
    print(message)
    exit(1)
}

/// How a value of a C or Swift type is passed.
func passing(_ type: String) -> Passing {
    let isPointer =
        type.contains("*") || type.contains("^") || type.contains("Unsafe") || type.contains("Ref")
        || ["SecKeyAlgorithm", "dispatch_queue_t", "Callback"].contains { type.contains($0) }
    if isPointer { return .pointer }
    let words = Set(type.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    for (names, passing) in widths where names.contains(where: words.contains) || (names.contains("") && words.isEmpty)
    {
        return passing
    }
    die("unknown type: \(type)")
}

/// Splits a list of parameters at the commas that are in no brackets.
func parameters(_ list: Substring) -> [String] {
    var depth = 0
    var result = [""]
    for character in list {
        if "([<".contains(character) { depth += 1 }
        if ")]>".contains(character) { depth -= 1 }
        if character == ",", depth == 0 { result.append("") } else { result[result.count - 1].append(character) }
    }
    let trimmed = result.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    return trimmed == ["void"] || trimmed == [""] ? [] : trimmed
}

/// The text between a bracket and the one that closes it, and what comes after.
func bracketed(_ text: Substring) -> (inside: Substring, rest: Substring) {
    var depth = 1
    var index = text.startIndex
    while index < text.endIndex {
        if text[index] == "(" { depth += 1 }
        if text[index] == ")" { depth -= 1 }
        if depth == 0 { break }
        index = text.index(after: index)
    }
    return (text[..<index], text[index...].dropFirst())
}

func files(in folder: String, _ ending: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted().compactMap {
        try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
    }
}

/// Without a parameter's name, which is the last word where there are two.
func typeInC(_ parameter: String) -> String {
    let words = parameter.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    guard !parameter.hasSuffix("*"), words.count > 1, let last = words.last else { return parameter }
    return String(parameter.dropLast(parameter.hasSuffix(String(last)) ? last.count : 0))
}

var declared: [String: [Passing]] = [:]
for text in files(in: "Sources/Facades/CSecurity/include/Security", ".h") {
    let code = text.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
    for match in code.matches(of: /CF_EXPORT ([^;(]*?)(\w+)\(/) {
        let list = bracketed(code[match.range.upperBound...]).inside
        let result = String(match.1)
        declared[String(match.2)] = [passing(result)] + parameters(list).map { passing(typeInC($0)) }
    }
}

var defined: [String: [Passing]] = [:]
for code in files(in: "Sources/Facades/SecurityABI", ".swift") {
    for match in code.matches(of: /@c\((\w+)\)\npublic func \w+\(/) {
        let (list, rest) = bracketed(code[match.range.upperBound...])
        let result = rest.prefix { $0 != "{" }.replacing("->", with: "")
        let types = parameters(list).map { String($0.split(separator: ":", maxSplits: 1).last ?? "") }
        defined[String(match.1)] = [passing(String(result))] + types.map(passing)
    }
}

var differences: [String] = []
for name in Set(declared.keys).union(defined.keys).sorted() where declared[name] != defined[name] {
    func text(_ signature: [Passing]?) -> String { signature.map { "\($0.map(\.rawValue))" } ?? "missing" }
    differences.append("\(name): headers \(text(declared[name])), Swift \(text(defined[name]))")
}
guard !declared.isEmpty else { die("no functions found") }
if !differences.isEmpty { die(differences.joined(separator: "\n")) }
