import Foundation
import Testing

/// `chatelaine port`, on packages that lie in folders of the tests' own.
struct PortTests {
    /// Makes a package of these files, and says what the command prints about it.
    private func port(_ files: [String: String], options: String = "") throws -> ChatelaineSession.Outcome {
        let session = try ChatelaineSession()
        for (path, text) in files {
            let file = session.folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        return try session.run("chatelaine port \(options)")
    }

    @Test func `products, the plugin and the toolset follow from the imports`() throws {
        let outcome = try port([
            "Package.swift": "",
            "Sources/App/Store.swift": "import Foundation\nlet query = [kSecClass: kSecClassGenericPassword]\n",
            "Sources/App/Hash.swift": "import CommonCrypto\nimport class LocalAuthentication.LAContext\n",
            "Sources/App/View.swift": "@preconcurrency import SwiftUI\n// import CryptoKit\n",
        ])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("  Sources/App/Store.swift:2: let query"))
        #expect(outcome.output.contains("  Sources/App/View.swift:1: @preconcurrency import SwiftUI\n"))
        for product in ["Security", "LocalAuthentication", "CommonCrypto"] {
            #expect(
                outcome.output.contains(
                    ".product(name: \"\(product)\", package: \"chatelaine\", condition: .when(platforms: [.linux])),"
                )
            )
        }
        #expect(!outcome.output.contains("CryptoKit"))
        #expect(outcome.output.contains("plugins: [.plugin(name: \"ImportSecurity\", package: \"chatelaine\")]"))
        #expect(outcome.output.contains("/chatelaine.json --toolset …/share/chatelaine/chatelaine-commoncrypto.json\n"))
    }

    @Test func `types of a package's own that have Security's names rule the plugin out`() throws {
        let outcome = try port([
            "Package.swift": "",
            "Sources/App/Stubs.swift": "struct SecAccessControl {}\nlet status = errSecSuccess\n",
        ])
        #expect(!outcome.output.contains("plugins:"))
        #expect(outcome.output.contains("/chatelaine-explicit.json\n"))
    }

    @Test func `CryptoKit has a toolset of its own, beside that of Security where both are used`() throws {
        let alone = try port(["Package.swift": "", "Sources/App/App.swift": "import CryptoKit\n"])
        #expect(alone.output.contains("  swift build --toolset …/share/chatelaine/chatelaine-cryptokit.json\n"))
        let both = try port(["Package.swift": "", "Sources/App/App.swift": "import CryptoKit\nlet s = errSecSuccess\n"])
        #expect(both.output.contains("/chatelaine.json --toolset …/share/chatelaine/chatelaine-cryptokit.json\n"))
    }

    @Test func `it is said that pinning does not protect`() throws {
        let outcome = try port([
            "Package.swift": "", "Sources/App/App.swift": "import Security\nlet trust = space.serverTrust\n",
        ])
        #expect(outcome.output.contains("Linux NEVER calls it: pinning does not protect there\n"))
        #expect(outcome.output.contains("  Sources/App/App.swift:2: let trust = space.serverTrust\n"))
    }

    @Test func `lines are found whatever they are indented with`() throws {
        let outcome = try port([
            "Package.swift": "",
            "Sources/App/Hash.swift": "import CommonCrypto\nfunc f() {\n\t\t let  p = (data as NSData).bytes\n}\n",
        ])
        #expect(outcome.output.contains("  Sources/App/Hash.swift:3: let p = (data as NSData).bytes\n"))
    }

    @Test func `a pointer into a temporary NSData is an error, and a safe one is not`() throws {
        let lines = [
            "CC_SHA256((data as NSData).bytes, 1, &md)", "let a = NSData(data: data).bytes",
            "memcpy((m as NSData).mutableBytes, p, 1)",
        ]
        let safe = ["data.withUnsafeBytes { f($0) }", "let b = (data as NSData).length", "data.bytes"]
        let outcome = try port([
            "Package.swift": "", "Sources/App/Hash.swift": (lines + safe).joined(separator: "\n"),
        ])
        #expect(outcome.output.contains("ERROR: pointers into a temporary NSData: on Linux the memory is freed"))
        for (index, line) in lines.enumerated() {
            #expect(outcome.output.contains("  Sources/App/Hash.swift:\(index + 1): \(line)\n"))
        }
        for line in safe { #expect(!outcome.output.contains(": \(line)\n")) }
    }

    @Test func `what canImport turns on is told from what Linux compiles anyway`() throws {
        let outcome = try port([
            "Package.swift": "",
            "Sources/App/A.swift": """
            #if canImport(Security)
            import SwiftUI
            #elseif os(Linux)
            import AppKit
            #endif
            #if(os(macOS))
            import AppKit
            #elseif(canImport(LocalAuthentication))
            import AppKit
            #endif
            #if os(iOS) || (canImport(UIKit) && !os(macOS)) // canImport(Security)
            import UIKit
            #endif
            """,
            "Sources/App/B.swift": """
            #if os(Linux)
            #if swift(>=5.9) && !canImport(LocalAuthentication)
            import OSLog
            #else
            import Combine
            #endif
            #endif
            import Network
            """,
            "Sources/Network/C.swift": "",
        ])
        let output = outcome.output
        #expect(output.contains("canImport turns on: it builds without the keychain's modules, and not with them"))
        #expect(output.contains("  Sources/App/A.swift:2: import SwiftUI\n"))
        #expect(output.contains("  Sources/App/B.swift:5: import Combine\n"))
        #expect(output.contains("  Sources/App/A.swift:1: #if canImport(Security)\n"))
        #expect(output.contains("  Sources/App/B.swift:4: #else\n"))
        // Neither what no build of Linux has, nor a module of the package's own.
        #expect(output.contains("  Sources/App/A.swift:9: import AppKit\n"))
        #expect(!output.contains("A.swift:4: import AppKit") && !output.contains("A.swift:7: import AppKit"))
        for module in ["UIKit", "OSLog", "Network"] { #expect(!output.contains("import \(module)\n")) }
    }

    @Test func `conditions that nobody can read end nothing`() throws {
        let text = [
            "#endif", "#else", "#elseif (", "#if ((((", "#if !" + String(repeating: "!", count: 190), "#if |&)",
        ]
        let outcome = try port([
            "Package.swift": "", "Sources/App/A.swift": text.joined(separator: "\n") + "\nimport Security\n",
        ])
        #expect(outcome.status == 0 && outcome.output.contains("Sources/App/A.swift:7: import Security\n"))
    }

    @Test func `an OSStatus of its own, FoundationNetworking, bundles of classes and old lists of tests are named`()
        throws
    {
        let outcome = try port([
            "Package.swift": "",
            "Sources/App/A.swift": "import Foundation\ntypealias OSStatus = Int32\nlet r: URLRequest\n",
            "Sources/App/B.swift": "import FoundationNetworking\nlet r: URLRequest\n",
            "Tests/AppTests/T.swift": "let bundle = Bundle(for: Self.self)\n", "Tests/LinuxMain.swift": "",
            "Tests/AppTests/XCTestManifests.swift": "",
        ])
        for line in [
            "Sources/App/A.swift:2: typealias", "Sources/App/A.swift:3: let r", "Tests/AppTests/T.swift:1: let bundle",
            "Tests/LinuxMain.swift:1: ", "Tests/AppTests/XCTestManifests.swift:1: ",
        ] { #expect(outcome.output.contains("  " + line)) }
        #expect(!outcome.output.contains("B.swift"))
    }

    @Test func `dependencies that lie in the build folder are read, and the others named`() throws {
        let files = [
            "Package.swift": "", "Sources/App/A.swift": "import Security\n",
            "Package.resolved": #"{"pins": [{"identity": "far"}, {"identity": "statekit"}], "version": 2}"#,
            ".build/workspace-state.json": #"""
            {"object": {"dependencies": [
              {"packageRef": {"identity": "statekit", "name": "StateKit"}, "state": {"name": "x"}, "subpath": "StateKit"},
              {"packageRef": {"identity": "quiet", "name": "Quiet"}, "state": {"name": "x"}, "subpath": "quiet"},
              {"packageRef": {"identity": "bad", "name": "bad"}, "state": {"name": "x"}, "subpath": "../../.."}]},
             "version": 7}
            """#,
            ".build/checkouts/StateKit/Sources/S/S.swift": "#if canImport(Security)\nimport SwiftUI\n#endif\n",
            ".build/checkouts/quiet/Sources/S/S.swift": "let a = 1\n",
        ]
        let outcome = try port(files)
        #expect(outcome.output.contains("  statekit: STOPS BUILDING; --hide statekit\n"))
        #expect(outcome.output.contains("    Sources/S/S.swift:2: import SwiftUI\n"))
        #expect(outcome.output.contains("  or the same by chatelaine swift --hide statekit build\n"))
        #expect(!outcome.output.contains("quiet"))
        #expect(outcome.output.contains("Dependencies that are not here and were not read: far; swift package"))
        let json = try port(files, options: "--json")
        #expect(json.output.contains(#""stopsBuilding": true"#) || json.output.contains(#""stopsBuilding":true"#))
    }

    @Test(arguments: [
        ("swift", "say build, test or run"), ("swift package clean", "say build, test or run"),
        ("swift build --hide X", "--hide stands before build"),
        ("swift build --static-swift-stdlib", "has Swift's library twice"),
        ("swift --hide 'a;b' build", "a;b is no name of a package"),
        ("swift --hide '' build", " is no name of a package"),
        ("swift build", "this needs what make install installs"),
    ])
    func `swift is run for a build, and only where this is installed`(arguments: String, message: String) throws {
        let outcome = try ChatelaineSession().run("chatelaine \(arguments)")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func `what is no package is refused`() throws {
        let nowhere = try port(["Package.swift": ""], options: "nowhere")
        #expect(nowhere.status == 1)
        #expect(nowhere.errors == "chatelaine: nowhere is not a folder that can be read\n")
        let bare = try port(["Sources/a.swift": ""])
        #expect(bare.status == 1)
        #expect(bare.errors == "chatelaine: . has no Package.swift that can be read\n")
    }

    @Test func `links, pipes and binaries are not read, and names cannot speak to the terminal`() throws {
        let session = try ChatelaineSession()
        let folder = session.folder.path
        try Data().write(to: URL(filePath: folder + "/Package.swift"))
        try FileManager.default.createDirectory(atPath: folder + "/Sources", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/Sources/link.swift",
            withDestinationPath: "/etc/passwd"
        )
        #expect(mkfifo(folder + "/Sources/pipe.swift", 0o600) == 0)
        try Data([0, 1, 2]).write(to: URL(filePath: folder + "/Sources/binary.swift"))
        try Data("import Security\n".utf8).write(to: URL(filePath: folder + "/Sources/\u{1b}[31m.swift"))
        let outcome = try session.run("chatelaine port")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("  Sources/\\e[31m.swift:1: import Security\n"))
        #expect(!outcome.output.contains("\u{1b}"))
        #expect(outcome.output.contains("Files read: 1\nNot read: 1, the first is Sources/binary.swift\n"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a pipe is not read as a manifest, and nobody waits for it`() throws {
        let session = try ChatelaineSession()
        #expect(mkfifo(session.folder.path + "/Package.swift", 0o600) == 0)
        let outcome = try session.run("chatelaine port")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("has no Package.swift that can be read"), "\(outcome.errors)")
    }

    @Test func `the same as JSON`() throws {
        let outcome = try port(
            ["Package.swift": "", "Tests/T/t.m": "#import <Security/Security.h>\n"],
            options: "--json"
        )
        #expect(outcome.status == 0)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        )
        let finding = try #require((document["findings"] as? [[String: Any]])?.first)
        #expect(finding["file"] as? String == "Tests/T/t.m")
        #expect(finding["line"] as? Int == 1)
        #expect(document["isComplete"] as? Bool == true)
    }
}
