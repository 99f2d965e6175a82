import ArgumentParser
import Foundation
import Terminal

struct PortPackage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port",
        abstract: "Say what a Swift package needs to build on Linux with this keychain.",
        discussion: "Reads its sources and its manifest as text, runs nothing, and changes nothing."
    )

    @Argument(help: "The package's folder.")
    var folder = "."

    @Flag(help: "Print JSON.")
    var json = false

    /// How many places of one kind are shown.
    private static let mostPlaces = 10

    func run() throws {
        guard (try? FileManager.default.contentsOfDirectory(atPath: folder)) != nil else {
            throw Failure("\(folder) is not a folder that can be read")
        }
        guard SourceFiles.text(at: folder + "/Package.swift") != nil else {
            throw Failure("\(folder) has no Package.swift that can be read")
        }
        let sources = SourceFiles(below: folder)
        let findings = PortFindings(in: sources.files)
        Console.print(json ? document(sources, findings).text() + "\n" : report(sources, findings))
    }

    private func products(_ findings: PortFindings) -> [String] {
        let topics: [(PortTopic, String)] = [
            (.security, "Security"), (.localAuthentication, "LocalAuthentication"), (.cryptoKit, "CryptoKit"),
            (.commonCrypto, "CommonCrypto"),
        ]
        var products = topics.filter { findings.places[$0.0] != nil }.map(\.1)
        if findings.places[.implicitSecurity] != nil, !products.contains("Security") {
            products.insert("Security", at: 0)
        }
        return products
    }

    /// Where types of the package have Security's names, a forced import makes them ambiguous.
    private func needsPlugin(_ findings: PortFindings) -> Bool {
        findings.places[.implicitSecurity] != nil && findings.places[.ownSecurityTypes] == nil
    }

    private func toolsets(_ findings: PortFindings) -> [String] {
        let products = products(findings)
        let first = findings.places[.ownSecurityTypes] == nil ? "chatelaine.json" : "chatelaine-explicit.json"
        return (products.allSatisfy { $0 == "CommonCrypto" } ? [] : [first])
            + (products.contains("CommonCrypto") ? ["chatelaine-commoncrypto.json"] : [])
    }

    private func lines(_ findings: PortFindings) -> [String] {
        let products = products(findings)
        guard !products.isEmpty else { return [] }
        let condition = "condition: .when(platforms: [.linux])"
        return [".package(path: \"../chatelaine\"),"]
            + products.map { ".product(name: \"\($0)\", package: \"chatelaine\", \(condition))," }
            + (needsPlugin(findings) ? ["plugins: [.plugin(name: \"ImportSecurity\", package: \"chatelaine\")]"] : [])
    }

    private func report(_ sources: SourceFiles, _ findings: PortFindings) -> String {
        var text = ""
        for topic in PortTopic.allCases {
            guard let places = findings.places[topic] else { continue }
            text += "\(topic.rawValue): \(topic.advice)\n"
            for place in places.prefix(Self.mostPlaces) {
                text += "  \(TerminalText.escaped("\(place.path):\(place.line): \(place.text)"))\n"
            }
            if places.count > Self.mostPlaces { text += "  and \(places.count - Self.mostPlaces) more\n" }
        }
        let lines = lines(findings)
        if lines.isEmpty {
            text += "Nothing here needs the keychain.\n"
        } else {
            text += "For Package.swift: the first line for the package, the others for each target that needs them\n"
            text += lines.map { "  \($0)\n" }.joined()
            let toolsets = toolsets(findings).map { " --toolset …/share/chatelaine/\($0)" }.joined()
            text += "or without a change to it\n  swift build\(toolsets)\n"
        }
        text += "Files read: \(sources.files.count)\n"
        if !sources.unread.isEmpty {
            text += "Not read: \(sources.unread.count), the first is \(TerminalText.escaped(sources.unread[0]))\n"
        }
        if sources.isCutShort { text += "There are more files than are read: this is not all.\n" }
        return text
    }

    private func document(_ sources: SourceFiles, _ findings: PortFindings) -> JSONText {
        .object([
            (
                "findings",
                .array(
                    PortTopic.allCases.flatMap { topic in
                        (findings.places[topic] ?? []).prefix(1000).map { place in
                            .object([
                                ("topic", .string(topic.rawValue)), ("file", .string(place.path)),
                                ("line", .number(Int64(place.line))), ("advice", .string(topic.advice)),
                            ])
                        }
                    }
                )
            ),
            ("manifest", .array(lines(findings).map { .string($0) })),
            ("toolsets", .array(toolsets(findings).map { .string($0) })),
            ("filesRead", .number(Int64(sources.files.count))),
            ("filesNotRead", .array(sources.unread.prefix(1000).map { .string($0) })),
            ("isComplete", .bool(!sources.isCutShort)),
        ])
    }
}
