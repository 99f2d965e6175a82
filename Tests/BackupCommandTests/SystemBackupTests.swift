import Foundation
import KeychainTestSupport
import Testing

@Suite(
    "The commands about backups, with the system's service",
    .enabled(if: SystemMode.isPossible, "needs root, and a root folder that is a mount")
)
struct SystemBackupTests {
    private let service: SystemService
    private static let passcode = "alice's passcode"
    private static let phrase = "a passphrase of hers"

    init() throws {
        service = try SystemService()
        try #require(service.waitUntilReady(), "\(service.log)")
    }

    private func path(_ name: String) -> String { service.home + "/" + name }

    /// What lies in alice's folder.
    private func files(of service: SystemService) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: service.home).sorted()
    }

    private func addPasswords() throws {
        try Data("Title,Username,Password\na,me,one\nb,me,two\n".utf8).write(to: URL(filePath: path("in.csv")))
        let added = try service.chatelaine(["import", path("in.csv")])
        try #require(added.output == "2 added\n", "\(added.errors)\(service.log)")
    }

    private func setPasscode(at service: SystemService) throws {
        try service.setPasscode(Self.passcode)
    }

    private func create(_ name: String, _ input: [String]) throws -> (status: Int32, output: String, errors: String) {
        try service.chatelaine(["backup", "create", "--stdin", path(name)], input: input)
    }

    @Test func `a program without the passcode gets neither a backup nor an export, nor restores one`() throws {
        try addPasswords()
        let refused = try create("b", [Self.phrase])
        #expect(refused.status == 1 && refused.errors.contains("being one of your programs is not enough"))
        try setPasscode(at: service)
        #expect(try create("b", [Self.passcode, Self.phrase]).status == 0)
        let wrong = try create("stolen", ["guess", Self.phrase])
        #expect(wrong.status == 1 && wrong.errors.contains("the passcode is wrong"))
        let export = try service.chatelaine(["export", "--stdin", path("stolen.csv")], input: ["guess"])
        #expect(export.status == 1)
        let restored = try service.chatelaine(
            ["backup", "restore", "--stdin", "--on-conflict", "replace", path("b")],
            input: ["guess", Self.phrase]
        )
        #expect(restored.status == 1 && restored.errors.contains("the passcode is wrong"))
        #expect(try files(of: service) == ["b", "in.csv"])
    }

    @Test func `a backup is made, verified and restored, here and on another machine`() throws {
        try addPasswords()
        try setPasscode(at: service)
        let made = try create("b", [Self.passcode, Self.phrase])
        #expect(made.status == 0 && made.output.hasPrefix("Wrote 2 items"), "\(made.errors)")
        let verified = try service.chatelaine(["backup", "verify", "--stdin", path("b")], input: [Self.phrase])
        #expect(verified.output.contains("made by   this device\nitems     2\n"), "\(verified.errors)")
        let restored = try service.chatelaine(
            ["backup", "restore", "--stdin", "--on-conflict", "replace", path("b")],
            input: [Self.passcode, Self.phrase]
        )
        #expect(restored.output == "made by   this device\n2 replaced\n", "\(restored.errors)")

        let other = try SystemService()
        try #require(other.waitUntilReady(), "\(other.log)")
        try setPasscode(at: other)
        try FileManager.default.copyItem(atPath: path("b"), toPath: other.home + "/b")
        chown(other.home + "/b", SystemService.alice, SystemService.alice)
        func restore(_ options: [String], _ phrase: String = Self.phrase) throws -> (
            status: Int32, output: String, errors: String
        ) {
            try other.chatelaine(
                ["backup", "restore", "--stdin"] + options + [other.home + "/b"],
                input: [Self.passcode, phrase]
            )
        }
        #expect(try restore(["--accept-origin"], "wrong").errors.contains("the passphrase is wrong"))
        #expect(try restore([]).errors.contains("accept its origin"))
        #expect(try restore(["--dry-run"]).output.hasSuffix("2 added\nNothing was changed.\n"))
        #expect(try restore(["--accept-origin"]).output == "made by   unknown\n2 added\n")
        #expect(try restore([]).output == "made by   a known device\n2 kept\n")
    }

    @Test func `while the keychain is locked there is no backup, and nothing is left of it`() throws {
        try addPasswords()
        try setPasscode(at: service)
        #expect(try create("b", [Self.passcode, Self.phrase]).status == 0)
        #expect(try service.chatelaine(["lock"]).status == 0)
        let refused = try create("c", [Self.passcode, Self.phrase])
        #expect(refused.status == 1 && refused.errors.contains("locked"), "\(refused.errors)")
        let restored = try service.chatelaine(
            ["backup", "restore", "--stdin", "--on-conflict", "replace", path("b")],
            input: [Self.passcode, Self.phrase]
        )
        #expect(restored.status == 1 && restored.errors.contains("locked"), "\(restored.errors)")
        #expect(try files(of: service) == ["b", "in.csv"])
        let keychain = service.data + "/users/\(SystemService.alice)"
        let left = try FileManager.default.contentsOfDirectory(atPath: keychain)
        #expect(!left.contains { $0.hasPrefix("restore-") }, "\(left)")
    }
}
