import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

/// One-time codes by the command, from the files of other programs, and into a file.
struct CodeCommandTests {
    private let command: BackupCommand
    /// RFC 6238's own secret.
    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    private static let address = "otpauth://totp/Bank:me?secret=\(secret)&issuer=Bank"

    init() throws {
        command = BackupCommand(keychain: try TestKeychain())
    }

    private func importCSV(_ lines: String...) throws {
        let text = (["Title,URL,Username,Password,Notes,OTPAuth"] + lines).joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: command.path("in.csv")))
        let outcome = try command.run(["import", command.path("in.csv")])
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `the code of an imported password is shown, with its seconds`() throws {
        try importCSV("Bank,https://bank.example,me,p,,\(Self.address)", "Mail,https://mail.example,me,q,,")
        #expect(try command.run(["code", "list"]).output == "Bank, bank.example, me\n")
        for name in ["bank", "BANK.EXAMPLE", "me"] {
            let shown = try command.run(["code", name])
            #expect(shown.status == 0 && shown.output.wholeMatch(of: #/\d{6}\n/#) != nil, "\(shown)")
            #expect(shown.errors.wholeMatch(of: #/\d{1,2} seconds\n/#) != nil)
        }
        let json = try command.run(["code", "--json", "bank"]).output
        #expect(json.contains("\"account\"") && json.contains("\"seconds\"") && !json.contains(Self.secret))
        let none = try command.run(["code", "mail"])
        #expect(none.status == 1 && none.output.isEmpty)
        #expect(none.errors.contains("no code has “mail” in its name"))
    }

    @Test(arguments: [address, secret.lowercased(), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"])
    func `a code is added to a password, once, and removed`(text: String) throws {
        try importCSV("Bank,https://bank.example,me,p,,")
        let added = try command.run(["code", "add", "--stdin", "bank"], input: [text])
        #expect(added.output == "A code was added for the password Bank, bank.example, me.\n", "\(added.errors)")
        #expect(try command.run(["code", "bank"]).status == 0)
        let twice = try command.run(["code", "add", "--stdin", "bank"], input: [text])
        #expect(twice.status == 1 && twice.errors.contains("there is a code for it already"))
        #expect(try command.run(["code", "remove", "bank"]).status == 0)
        #expect(try command.run(["code", "bank"]).status == 1)
    }

    @Test func `what is no code is refused before anything is stored, and is not printed`() throws {
        try importCSV("Bank,https://bank.example,me,p,,")
        for text in ["", "canary!", "otpauth://hotp/canary?secret=\(Self.secret)", "steam://\(Self.secret)"] {
            let refused = try command.run(["code", "add", "--stdin", "bank"], input: [text])
            #expect(refused.status == 1 && refused.errors.contains("nothing was added"), "\(text): \(refused)")
            #expect(!refused.errors.contains("canary") && !refused.errors.contains(Self.secret))
        }
        #expect(try command.run(["code", "list"]).output.isEmpty)
    }

    @Test func `of several that match, the one of that very name is meant, else they are listed`() throws {
        try importCSV(
            "Bank,https://bank.example,me,p,,\(Self.address)",
            "Bank of Elsewhere,https://other.example,me,p,,\(Self.address)"
        )
        #expect(try command.run(["code", "bank"]).status == 0)
        let several = try command.run(["code", "ban"])
        #expect(several.status == 1 && several.output.isEmpty)
        #expect(several.errors.contains("  Bank, bank.example, me\n  Bank of Elsewhere, other.example, me\n"))
    }

    @Test func `an export has each code in the line of its password, and comes back as it was`() throws {
        try importCSV("Bank,https://bank.example,me,p,,\(Self.address)", "Router,,admin,q,,")
        let alone = try command.run(["code", "add", "--stdin", "Alone"], input: [Self.secret])
        #expect(alone.output.contains("“Alone”, which has no password here"), "\(alone.errors)")
        let exported = try command.run(["export", "--stdin", command.path("out.csv")])
        #expect(exported.status == 0, "\(exported.errors)")
        let whole = "otpauth://totp/Bank:me?secret=\(Self.secret)&issuer=Bank&algorithm=SHA1&digits=6&period=30"
        let lines = try String(contentsOfFile: command.path("out.csv"), encoding: .utf8).components(separatedBy: "\r\n")
        #expect(lines.first == "Title,URL,Username,Password,Notes,OTPAuth")
        #expect(lines.contains("Bank,https://bank.example,me,p,,\(whole)") && lines.contains("Router,,admin,q,,"))
        #expect(lines.contains { $0.hasPrefix("Alone,,,,,otpauth://totp/") })
        let other = BackupCommand(keychain: try TestKeychain())
        let back = try other.run(["import", command.path("out.csv")])
        #expect(back.output == "2 added\n2 one-time codes added\n", "\(back)")
        #expect(try other.run(["code", "list"]).output == (try command.run(["code", "list"]).output))
        // Once more, it is there already.
        #expect(try other.run(["import", command.path("out.csv")]).output == "0 added\n2 there already\n")
    }

    @Test func `an export in the Credential Exchange Format has passwords and codes, and comes back`() throws {
        try importCSV("Bank,https://bank.example,me,p,,\(Self.address)", "Router,,admin,q,,")
        let exported = try command.run(["export", "--stdin", "--format", "cxf", command.path("out.json")])
        #expect(exported.status == 0, "\(exported.errors)")
        let other = BackupCommand(keychain: try TestKeychain())
        let back = try other.run(["import", command.path("out.json")])
        #expect(back.output == "2 added\n1 one-time codes added\n", "\(back)")
        #expect(!back.errors.contains("Not taken"), "\(back.errors)")
        let again = try other.run(["import", "--format", "cxf", command.path("out.json")])
        #expect(again.output == "0 added\n2 there already\n", "\(again)")
        #expect(try other.run(["code", "list"]).output == (try command.run(["code", "list"]).output))
        let wrong = try other.run(["import", "--format", "json", command.path("out.json")])
        #expect(wrong.status == 1 && wrong.errors.contains("Bitwarden"))
    }

    @Test func `with a service, other programs' codes are seen once the owner has agreed`() throws {
        let person = try ScriptedPinentry()
        let service = try ServiceProcess(in: command.keychain.surroundings, arguments: ["--pinentry", person.path])
        try #require(service.waitUntilReady(), "\(service.log)")
        let variable = "unix:" + service.socket
        // Stored by another program.
        let stored = try FinishedProgram(
            [
                ServiceProcess.program("security"), "add-generic-password", "-s", "otpauth:bank.example", "-a", "me",
                "-l",
                "Bank", "-D", "one-time code", "-w", Self.address,
            ],
            in: command.keychain.surroundings,
            environment: ["CHATELAINE_KEYCHAIN": variable, "PATH": "/usr/bin:/bin"]
        )
        try #require(stored.status == 0, "\(stored.errors)")
        let set = try command.run(["passcode", "set", "--stdin"], input: ["right"], variable: variable)
        try #require(set.status == 0, "\(set.errors)")
        let hidden = try command.run(["code", "bank"], variable: variable)
        #expect(hidden.status == 1 && hidden.errors.contains("--all looks at the items of all programs"))
        person.answer(.no)
        #expect(try command.run(["code", "--all", "bank"], variable: variable).status == 1)
        person.answer(.secret("right"), .secret("right"))
        let shown = try command.run(["code", "--all", "bank"], variable: variable)
        #expect(shown.output.wholeMatch(of: #/\d{6}\n/#) != nil, "\(shown)")
        #expect(person.shown.contains("Show the secret of 'Bank, me'"))
    }
}
