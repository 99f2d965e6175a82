import EnclaveInterface
import Foundation
import KeychainBackup
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite("The commands about backups")
struct BackupCommandTests {
    private let command: BackupCommand
    private static let passphrase = "correct horse"

    init() throws {
        command = BackupCommand(keychain: try TestKeychain())
        let connection = command.keychain.connection()
        for account in ["alice", "bob"] { try connection.add(account, value: "value of " + account) }
    }

    private func create(_ name: String, _ options: [String] = []) throws -> (
        status: Int32, output: String, errors: String
    ) {
        try command.run(["backup", "create", "--stdin"] + options + [command.path(name)], input: [Self.passphrase])
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: command.path(name))), as: UTF8.self)
    }

    @Test func `a backup is made, verified, listed, and restored on another machine`() throws {
        let made = try create("b")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.hasPrefix("Wrote 2 items to "))
        var status = stat()
        #expect(stat(command.path("b"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        let verified = try command.run(["backup", "verify", "--stdin", command.path("b")], input: [Self.passphrase])
        #expect(verified.output.contains("made by   this device\nitems     2\n"), "\(verified.errors)")
        let listed = try command.run(["backup", "list", "--stdin", command.path("b")], input: [Self.passphrase])
        #expect(listed.output.contains("genp  test.default  service, alice\n"))
        #expect(!listed.output.contains("value of"))

        let other = BackupCommand(keychain: try TestKeychain())
        func restore(_ options: [String]) throws -> (status: Int32, output: String, errors: String) {
            try other.run(
                ["backup", "restore", "--stdin"] + options + [command.path("b")],
                input: [Self.passphrase]
            )
        }
        let refused = try restore([])
        #expect(refused.status == 1 && refused.errors.contains("accept its origin"))
        let dry = try restore(["--dry-run"])
        #expect(dry.output.contains("add     genp  test.default  service, alice\n"))
        #expect(dry.output.hasSuffix("made by   unknown\n2 added\nNothing was changed.\n"), "\(dry.output)")
        #expect(try other.keychain.connection().all().isEmpty)
        let restored = try restore(["--accept-origin"])
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try other.keychain.connection().all() == ["alice=value of alice", "bob=value of bob"])
        #expect(try restore([]).output == "made by   a known device\n2 kept\n")
    }

    @Test func `a wrong passphrase, a file that is cut short, a changed one and another file are told apart`() throws {
        #expect(try create("b").status == 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: command.path("b")))
        var changed = bytes
        changed[bytes.count - 100] ^= 1
        for (name, data) in [
            ("cut", bytes.dropLast(10)), ("changed", changed), ("empty", Data()), ("text", Data("no backup".utf8)),
        ] {
            try data.write(to: URL(fileURLWithPath: command.path(name)))
        }
        for verb in ["verify", "restore"] {
            func message(_ name: String, _ passphrase: String = Self.passphrase) throws -> String {
                let result = try command.run(["backup", verb, "--stdin", command.path(name)], input: [passphrase])
                #expect(result.status == 1)
                return result.errors
            }
            #expect(try message("b", "wrong").contains("the passphrase is wrong"))
            #expect(try message("cut").contains("cut short"))
            #expect(try message("changed").contains("damaged"))
            #expect(try message("empty").contains("cut short"))
            #expect(try message("text").contains("not a backup"))
        }
        #expect(try command.keychain.connection().all().count == 2)
    }

    @Test func `nothing that is there is written over without being told to, and a pipe, a link and a folder never`()
        throws
    {
        #expect(try create("b").status == 0)
        let before = try Data(contentsOf: URL(fileURLWithPath: command.path("b")))
        #expect(try create("b").errors.contains("--force replaces it"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: command.path("b"))) == before)
        #expect(try create("b", ["--force"]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: command.path("b"))) != before)
        #expect(mkfifo(command.path("pipe"), 0o600) == 0)
        #expect(symlink("b", command.path("link")) == 0)
        #expect(mkdir(command.path("folder"), 0o700) == 0)
        for name in ["pipe", "link", "folder"] {
            #expect(try create(name, ["--force"]).errors.contains("is not a regular file"), "\(name)")
        }
        for name in ["pipe", "folder"] {
            let read = try command.run(["backup", "restore", "--stdin", command.path(name)], input: [Self.passphrase])
            #expect(read.errors.contains("is not a regular file"), "\(name)")
        }
        #expect(try create("missing/b").status == 1)
    }

    @Test func `a key opens what was made for it`() throws {
        let made = try command.run(["backup", "keygen", command.path("identity")])
        let recipient = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(recipient.hasPrefix("chatelaine-backup-recipient-2:"))
        #expect(try command.run(["backup", "keygen", command.path("identity")]).status == 1)
        let backup = command.path("b")
        #expect(try command.run(["backup", "create", "--recipient", recipient, backup]).status == 0)
        let opened = try command.run(["backup", "verify", "--identity", command.path("identity"), backup])
        #expect(opened.status == 0, "\(opened.errors)")
        #expect(
            try command.run(["backup", "verify", "--stdin", backup], input: ["x"]).errors.contains("has no passphrase")
        )
        let typo = String(recipient.dropLast()) + (recipient.hasSuffix("0") ? "1" : "0")
        #expect(
            try command.run(["backup", "create", "--recipient", typo, command.path("c")]).errors.contains("mistyped")
        )
        #expect(!command.exists("c"))
    }

    @Test func `an export can be read, says so, and can be imported again`() throws {
        let exported = try command.run(["export", "--stdin", command.path("out.csv")])
        #expect(exported.status == 0)
        #expect(exported.errors.hasPrefix("WARNING: the file will not be encrypted"))
        #expect(try text("out.csv").contains("service,,alice,value of alice,"))
        let other = BackupCommand(keychain: try TestKeychain())
        let imported = try other.run(["import", command.path("out.csv")])
        #expect(imported.output == "2 added\n", "\(imported.errors)")
        #expect(try other.run(["import", command.path("out.csv")]).output == "0 added\n2 there already\n")
        let json = try command.run(["export", "--format", "json", command.path("out.json")])
        #expect(json.status == 0)
        let list = try JSONSerialization.jsonObject(with: Data(text("out.json").utf8)) as? [[String: Any]]
        #expect(list?.count == 2)
    }

    @Test(.enabled(if: Machine.allowsMounting, "needs unshare with user and mount namespaces"))
    func `a full disk leaves no half backup`() throws {
        // A file system with room for a header and not for the items.
        let connection = command.keychain.connection()
        try connection.add("carol", value: String(repeating: "c", count: 3 << 20))
        let arguments = ["-rm", "sh", "-c"]
        let script = """
            mount -t tmpfs -o size=1m none \(command.path("disk")) && \
            "$0" backup create --stdin \(command.path("disk"))/b; echo $?; ls -A \(command.path("disk"))
            """
        #expect(mkdir(command.path("disk"), 0o700) == 0)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = arguments + [script, ServiceProcess.program("chatelaine")]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["CHATELAINE_KEYCHAIN": command.keychain.variable]) { $1 }
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.runHearingSignals()
        try input.fileHandleForWriting.write(contentsOf: Data("\(Self.passphrase)\n".utf8))
        try input.fileHandleForWriting.close()
        process.waitForExit()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(said == "1\n")
    }

    // MARK: - Killed

    private static let calls = "write,pwrite64,fsync,fdatasync,rename,link,linkat,unlink,ftruncate"

    private func killing(before call: Int) -> [String] {
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + Self.calls]
            + ["-e", "inject=\(Self.calls):signal=KILL:when=\(call)"]
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"))
    func `killed before any of its writes, a backup is not there, or whole (needs strace and ptrace)`() throws {
        var survived = false
        var call = 1
        let recipient = try command.run(["backup", "keygen", command.path("identity")]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        while !survived && call < 200 {
            try? FileManager.default.removeItem(atPath: command.path("b"))
            let killed = try command.run(
                ["backup", "create", "--recipient", recipient, command.path("b")],
                wrapper: killing(before: call)
            )
            survived = killed.status == 0
            if command.exists("b") {
                let whole = try command.run([
                    "backup", "verify", "--identity", command.path("identity"), command.path("b"),
                ])
                #expect(whole.status == 0, "killed before call \(call): \(whole.errors)")
            }
            call += 1
        }
        #expect(survived)
        #expect(call > 4, "the calls were not seen")
    }

    @Test(.enabled(if: Machine.allowsTracing, "needs strace and ptrace"))
    func `killed before any of its writes, a restoration has done all or nothing (needs strace and ptrace)`() throws {
        let recipient = try command.run(["backup", "keygen", command.path("identity")]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try command.run(["backup", "create", "--recipient", recipient, command.path("b")]).status == 0)
        var survived = false
        var call = 1
        var outcomes = Set<Int>()
        while !survived && call < 200 {
            let other = BackupCommand(keychain: try TestKeychain())
            try other.keychain.connection().add("alice", value: "old")
            let killed = try other.run(
                [
                    "backup", "restore", "--identity", command.path("identity"), "--accept-origin", "--on-conflict",
                    "replace", command.path("b"),
                ],
                wrapper: killing(before: call)
            )
            survived = killed.status == 0
            let left = try other.keychain.connection().all()
            #expect(
                left == ["alice=old"] || left == ["alice=value of alice", "bob=value of bob"],
                "killed before call \(call)"
            )
            outcomes.insert(left.count)
            call += 1
        }
        #expect(survived)
        #expect(outcomes == [1, 2])
    }
}

@Suite("The commands about backups, with a service")
struct BackupServiceTests {
    @Test func `a new machine, which has no keychain so far, takes a backup`() throws {
        let old = BackupCommand(keychain: try TestKeychain())
        try old.keychain.connection().add("alice", value: "value of alice")
        let made = try old.run(["backup", "create", "--stdin", old.path("b")], input: ["phrase"])
        #expect(made.status == 0, "\(made.errors)")
        let keychain = try TestKeychain()
        let service = try ServiceProcess(in: keychain.surroundings)
        try #require(service.waitUntilReady(), "\(service.log)")
        let restored = try BackupCommand(keychain: keychain).run(
            ["backup", "restore", "--stdin", "--accept-origin", old.path("b")],
            input: ["phrase"],
            variable: "unix:" + service.socket
        )
        #expect(restored.output == "made by   unknown\n1 added\n", "\(restored.errors)")
    }

    @Test func `an import says what it does not take, by name and number, also in a dry run`() throws {
        let command = BackupCommand(keychain: try TestKeychain())
        try Data(
            """
            Title,URL,Username,Password,OTPAuth
            Bank,https://bank.example,me,one,otpauth://totp/a
            Mail,https://mail.example,me,one,otpauth://totp/b
            Mail again,https://mail.example,me,two,
            Mail once more,https://mail.example,me,one,

            """.utf8
        ).write(to: URL(fileURLWithPath: command.path("in.csv")))
        let lost = "Not taken:\n  OTPAuth: the code has no secret, of 2: Bank, me; Mail, me\n"
        #expect(try command.run(["import", "--dry-run", command.path("in.csv")]).errors == lost)
        let outcome = try command.run(["import", command.path("in.csv")])
        #expect(outcome.output == "2 added\n1 there already\n")
        let other = """
            Not added, since there is another one for the same place and user already:
              Mail again, me

            """
        #expect(outcome.errors.hasPrefix(lost + other), "\(outcome.errors)")
    }

    @Test func `a backup goes by way of the service, and comes back`() throws {
        let keychain = try TestKeychain()
        let command = BackupCommand(keychain: keychain)
        let service = try ServiceProcess(in: keychain.surroundings)
        try #require(service.waitUntilReady(), "\(service.log)")
        let variable = "unix:" + service.socket
        func run(_ arguments: [String], _ input: [String] = []) throws -> (
            status: Int32, output: String, errors: String
        ) {
            try command.run(arguments, input: input, variable: variable)
        }
        try Data("Title,Username,Password\na,me,one\nb,me,two\n".utf8)
            .write(to: URL(fileURLWithPath: command.path("in.csv")))
        #expect(try run(["import", command.path("in.csv")]).output == "2 added\n")
        let made = try run(["backup", "create", "--stdin", command.path("b")], ["phrase"])
        #expect(made.status == 0, "\(made.errors)")
        let verified = try run(["backup", "verify", "--stdin", command.path("b")], ["phrase"])
        #expect(
            verified.output.contains("made by   this device\nitems     2\n"),
            "\(verified.output) \(verified.errors)"
        )
        let restored = try run(
            ["backup", "restore", "--stdin", "--on-conflict", "replace", command.path("b")],
            ["phrase"]
        )
        #expect(restored.output == "made by   this device\n2 replaced\n", "\(restored.errors)")
        let dry = try run(["backup", "restore", "--stdin", "--dry-run", command.path("b")], ["phrase"])
        #expect(dry.output.hasSuffix("2 kept\nNothing was changed.\n"), "\(dry.errors)")
        let audit = try String(contentsOfFile: service.directory + "/audit.log", encoding: .utf8)
        for operation in ["backup", "restore", "restore-dry-run"] {
            #expect(audit.contains("\"operation\":\"\(operation)\""))
        }
        // Nothing of the file stays with the service.
        let left = try FileManager.default.contentsOfDirectory(atPath: service.directory)
        #expect(!left.contains { $0.hasPrefix("restore-") })
    }

    @Test func `a lock ends a backup that the service is writing, and waits for it no longer than for any request`()
        throws
    {
        let keychain = try TestKeychain()
        let service = try ServiceProcess(in: keychain.surroundings)
        try #require(service.waitUntilReady(), "\(service.log)")
        let connection = ServiceConnection(ServiceAddress(path: service.socket, kind: .session))
        // More than any socket keeps.
        for number in 0..<16 {
            var request = AddRequest(itemClass: .genericPassword)
            request.attributes["acct"] = .string("\(number)")
            request.secrets[.valueData] = SecretBytes([UInt8](repeating: 7, count: 512 << 10))
            _ = try connection.add(request)
        }
        let control = try connection.control()
        let passcode = SecretBytes(Array("1234".utf8))
        try control.changePasscode(from: nil, to: passcode)
        let request = BackupRequest(
            token: try control.authorize(.backup, passcode: passcode),
            recipients: [try BackupIdentity().recipient]
        )
        let isLocked = DispatchSemaphore(value: 0)
        var received = 0
        var failure: KeychainError.Code?
        do throws(KeychainError) {
            _ = try connection.backup(request) { (bytes) throws(KeychainError) in
                defer { received += bytes.count }
                guard received == 0 else { return }
                DispatchQueue.global().async {
                    try? connection.control().lock()
                    isLocked.signal()
                }
                // Until the keys are gone; the lock itself waits for this backup.
                do {
                    try waitUntil("the keys are gone", pause: 1_000) { try control.state().lock != .unlocked }
                } catch {
                    throw error as? KeychainError ?? KeychainError(.internalError, "\(error)")
                }
            }
        } catch {
            failure = error.code
        }
        #expect(failure == .interactionNotAllowed)
        #expect(received < 8 << 20)
        isLocked.wait()
        #expect(try control.state().lock == .locked)
        #expect(service.isRunning)
    }
}
