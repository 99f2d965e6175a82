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
