import Foundation
import Testing

/// `chatelaine port --write`, on packages that lie in folders of the tests' own. scripts/test-install.sh builds a copy.
struct PortCopyTests {
    private let session: ChatelaineSession

    init() throws {
        session = try ChatelaineSession()
        try write("old/Package.swift", Self.manifest)
        try write("old/Sources/App/App.swift", "import Foundation\nlet status = errSecSuccess\n")
        try write("old/Lib/Lib.swift", "import Security\nimport CryptoKit\n")
        try write("old/Sources/Plain/Plain.swift", "import Foundation\n")
        try write("old/Tests/AppTests/Tests.swift", "import LocalAuthentication\n")
    }

    private static let manifest = """
        // swift-tools-version:5.9
        import PackageDescription

        /* A comment with "targets: [" and /* another */ in it. */
        let package = Package(
            name: "app",  // products: [
            targets: [
                .executableTarget(name: "App", dependencies: ["Lib", "Plain"]),
                .target(name: "Lib", path: "./Lib/"), .target(name: "Plain"),
                .testTarget(name: "AppTests", dependencies: [.target(name: "App")], swiftSettings: [.define("A")],),
            ]
        )
        """

    private func write(_ path: String, _ text: String) throws {
        let file = session.folder.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: session.folder.appending(path: path)), as: UTF8.self)
    }

    private func names(_ path: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: session.folder.path + "/" + path).sorted()
            .filter { ![".out", ".err"].contains($0) }
    }

    /// Expects a refusal that says why, leaves no copy, and prints the lines for those who change the manifest themselves.
    private func expectRefusal(_ line: String, _ reason: String, location: SourceLocation = #_sourceLocation) throws {
        let before = try names()
        let outcome = try session.run(line)
        #expect(outcome.status == 1, sourceLocation: location)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)", sourceLocation: location)
        #expect(outcome.output.contains("  .package(path: \"../chatelaine\"),\n"), sourceLocation: location)
        #expect(try names() == before, sourceLocation: location)
    }

    @Test func `a copy's manifest names what each target needs, and the original stays as it is`() throws {
        try write("old/.git/config", "")
        try write("old/.build/debug.yaml", "")
        try write("old/.swift-version", "6.3\n")
        let outcome = try session.run("chatelaine port --write new old")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasSuffix("Written: new\n"))
        #expect(
            try read("new/Package.swift") == """
                // swift-tools-version:5.9
                import PackageDescription

                /* A comment with "targets: [" and /* another */ in it. */
                let package = Package(
                    name: "app",  // products: [
                    dependencies: [
                        .package(name: "chatelaine", path: "../chatelaine"),
                    ],
                    targets: [
                        .executableTarget(name: "App", dependencies: [
                                .product(name: "Security", package: "chatelaine", condition: .when(platforms: [.linux])),"Lib", "Plain"],
                            plugins: [
                                .plugin(name: "ImportSecurity", package: "chatelaine"),
                            ]),
                        .target(name: "Lib",
                            dependencies: [
                                .product(name: "Security", package: "chatelaine", condition: .when(platforms: [.linux])),
                                .product(name: "CryptoKit", package: "chatelaine", condition: .when(platforms: [.linux])),
                            ], path: "./Lib/"), .target(name: "Plain"),
                        .testTarget(name: "AppTests", dependencies: [
                                .product(name: "LocalAuthentication", package: "chatelaine", condition: .when(platforms: [.linux])),.target(name: "App")], swiftSettings: [.define("A")],),
                    ]
                )
                """
        )
        #expect(try read("old/Package.swift") == Self.manifest)
        #expect(try names("new") == [".swift-version", "Lib", "Package.swift", "Sources", "Tests"])
        #expect(try read("new/Sources/App/App.swift") == read("old/Sources/App/App.swift"))
        #expect(try names() == ["new", "old"])
    }

    @Test func `the report says what each target needs, as JSON too`() throws {
        let text = try session.run("chatelaine port old")
        #expect(
            text.output.contains(
                """
                What each target needs
                  App: Security, and the plugin ImportSecurity
                  Lib: Security, CryptoKit
                  Plain: nothing
                  AppTests: LocalAuthentication

                """
            )
        )
        let json = try session.run("chatelaine port --json --write new old")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        )
        let targets = try #require(document["targets"] as? [[String: Any]])
        #expect(targets.map { $0["name"] as? String } == ["App", "Lib", "Plain", "AppTests"])
        #expect(targets.map { $0["folder"] as? String } == ["Sources/App", "Lib", "Sources/Plain", "Tests/AppTests"])
        #expect(targets.map { $0["plugin"] as? Bool } == [true, false, false, false])
        #expect(targets[1]["products"] as? [String] == ["Security", "CryptoKit"])
        #expect(document["written"] as? String == "new")
    }

    @Test func `the path of this package is written as a string, whatever is in it`() throws {
        let outcome = try session.run(#"chatelaine port --write new --chatelaine '/a\(b)"c' old"#)
        #expect(outcome.status == 0)
        #expect(try read("new/Package.swift").contains(#".package(name: "chatelaine", path: "/a\\(b)\"c"),"#))
    }

    @Test(
        arguments: [
            ("let a = Package(name: \"a\", targets: targets)", "not written as one array"),
            ("let a = Package(name: \"a\", targets: [.target(name: \"A\")] + more)", "not written as one array"),
            ("let a = Package(name: \"a\", targets: [.target(name: name)])", "not written as .target"),
            ("let a = Package(name: \"a\", targets: [.target(name: \"\\(b)\")])", "not understood"),
            ("let a = Package(name: \"a\", targets: [.target(name: \"App\", dependencies: d)])", "dependencies of App"),
            ("let a = Package(name: \"a\", dependencies: d, targets: [.target(name: \"App\")])", "its dependencies"),
            ("let a = Package(name: \"a\", targets: [.target(name: \"App\")", "not understood"),
            ("let a = Package(name: \"a\", targets: [.target(name: \"App\")])\na.dependencies = []", "assigns"),
            ("let a = Package(name: \"a\", targets: [.target(name: \"App\", path: p)])", "path of App"),
            ("#if os(Linux)\nlet a = Package()\n#else\nlet a = Package()\n#endif", "2 calls"),
            ("let a = Package(name: \"a\", targets: [.target(name: \"App\"), .target(name: \"App\")])", "one name"),
            (
                "let a = Package(name: \"a\", targets: [.target(name: \"B\"), .target(name: \"C\")])",
                "none of its targets"
            ),
            ("/* let a = Package()", "comment or a string"),
        ]
    )
    func `a manifest that cannot be changed for sure is not changed`(text: String, reason: String) throws {
        try write("old/Package.swift", "// swift-tools-version:5.9\n" + text + "\n")
        try expectRefusal("chatelaine port --write new old", reason)
    }

    @Test func `a manifest too old for what is needed, one of several, and one that has us are not changed`() throws {
        try write("old/Package.swift", Self.manifest.replacingOccurrences(of: "5.9", with: "5.5"))
        try expectRefusal("chatelaine port --write new old", "before 5.6")
        try write("old/Package.swift", Self.manifest.replacingOccurrences(of: "-tools-version", with: ""))
        try expectRefusal("chatelaine port --write new old", "no swift-tools-version")
        try write("old/Package.swift", Self.manifest.replacingOccurrences(of: "\"app\"", with: "\"chatelaine\""))
        try expectRefusal("chatelaine port --write new old", "names chatelaine already")
        try write("old/Package.swift", Self.manifest)
        try write("old/Package@swift-6.swift", Self.manifest)
        try expectRefusal("chatelaine port --write new old", "Package@swift-6.swift may be taken")
    }

    @Test func `a copy replaces nothing, follows no link, and does not lie in the package`() throws {
        try write("full/file", "")
        try expectRefusal("chatelaine port --write full old", "full is not empty")
        try expectRefusal("chatelaine port --write old old", "old is not empty")
        try expectRefusal("chatelaine port --write old/new old", "lies in the package itself")
        try expectRefusal("chatelaine port --write nowhere/new old", "No such file or directory")
        try expectRefusal("cd old && chatelaine port --write new", "lies in the package itself")
        try expectRefusal("chatelaine port --write .. old", "name a new folder")
        let folder = session.folder.path
        try FileManager.default.createDirectory(atPath: folder + "/elsewhere", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "elsewhere")
        try expectRefusal("chatelaine port --write link old", "link is there and is no folder")
        try expectRefusal("chatelaine port --write link/ old", "link is there and is no folder")
        try FileManager.default.createSymbolicLink(atPath: folder + "/inside", withDestinationPath: "old/Sources")
        try expectRefusal("chatelaine port --write inside/new old", "lies in the package itself")
        #expect(try names("elsewhere").isEmpty)
        #expect(try names("old/Sources") == ["App", "Plain"])
        // An empty folder is as good as none.
        #expect(try session.run("chatelaine port --write elsewhere old").status == 0)
        #expect(try names("elsewhere") == ["Lib", "Package.swift", "Sources", "Tests"])
    }

    @Test(
        arguments: [
            "/etc/passwd", "../../../etc/passwd", "../old/Package.swift", "../..", "nowhere", "Sources/up/../secret",
        ]
    )
    func `a link that leads out of the package is not copied, nor what it leads to`(target: String) throws {
        let old = session.folder.path + "/old"
        try write("secret", "secret")
        // By its text alone the last target is inside.
        try FileManager.default.createSymbolicLink(atPath: old + "/Sources/up", withDestinationPath: "..")
        try FileManager.default.createSymbolicLink(atPath: old + "/zlink", withDestinationPath: target)
        try expectRefusal("chatelaine port --write new old", "zlink is a link that leads out of the package")
    }

    @Test func `a link within the package stays one, a pipe is refused, and a program stays one`() throws {
        let old = session.folder.path + "/old"
        try FileManager.default.createSymbolicLink(atPath: old + "/Sources/Plain/link", withDestinationPath: "../App")
        #expect(chmod(old + "/Lib/Lib.swift", 0o700) == 0)
        #expect(try session.run("umask 022; chatelaine port --write new old").status == 0)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: session.folder.path + "/new/Sources/Plain/link")
                == "../App"
        )
        let attributes = try FileManager.default.attributesOfItem(atPath: session.folder.path + "/new/Lib/Lib.swift")
        #expect(attributes[.posixPermissions] as? Int == 0o755)
        #expect(mkfifo(old + "/pipe", 0o600) == 0)
        try expectRefusal("chatelaine port --write newer old", "pipe is neither a file nor a folder nor a link")
    }

    @Test func `a file that grows while it is copied ends the copying`() throws {
        try write("old/large", String(repeating: "x", count: 64 << 20))
        try expectRefusal(
            "(while :; do echo more; done >>old/large) & writer=$!; chatelaine port --write new old; status=$?;"
                + " kill $writer; exit $status",
            "large changed while it was copied"
        )
    }

    @Test func `names with control characters and other bytes are copied, and cannot speak to the terminal`() throws {
        try write("old/\u{1b}[31m", "red")
        try write("old/Sources/App/\u{1b}]0;title\u{7}.swift", "import Security\n")
        let made = try session.run(
            #"printf x >"old/$(printf 'caf\351')"; chatelaine port --write "$(printf 'n\033w')" old"#
        )
        #expect(made.status == 0, "\(made.errors)")
        #expect(!made.output.contains("\u{1b}"))
        #expect(made.output.hasSuffix("Written: n\\ew\n"))
        #expect(try read("n\u{1b}w/\u{1b}[31m") == "red")
        #expect(try session.run(#"cat "$(printf 'n\033w/caf\351')""#).output == "x")
        try write("old/Package.swift", Self.manifest.replacingOccurrences(of: "\"Plain\"", with: "\"P\u{1b}[31m\""))
        let report = try session.run("chatelaine port old")
        #expect(!report.output.contains("\u{1b}"))
        #expect(mkfifo(session.folder.path + "/old/\u{1b}[32m", 0o600) == 0)
        let refused = try session.run("chatelaine port --write new old")
        #expect(refused.status == 1)
        #expect(!refused.errors.contains("\u{1b}"))
    }

    @Test func `folders deeper than a package's are not followed without end`() throws {
        let deep = (0..<70).map { _ in "d" }.joined(separator: "/")
        try write("old/\(deep)/file", "")
        try expectRefusal("chatelaine port --write new old", "more than 64 folders deep")
    }
}
