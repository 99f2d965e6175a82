import Foundation
import KeychainModel
import KeychainTestSupport
import Logging
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainClient
@testable import LocalEnclave

/// Programs that nobody sits at: their passcode comes in a file, from systemd, Docker or Kubernetes.
@Suite("Where a program's passcode comes from")
struct PasscodeSourceTests {
    private let keychain: TestKeychain
    private let folder: String

    init() throws {
        keychain = try TestKeychain()
        folder = keychain.surroundings
    }

    private func write(_ text: String, to name: String = "passcode", mode: mode_t = 0o600) throws -> String {
        let path = folder + "/" + name
        try keychain.write(Array(text.utf8), to: path)
        chmod(path, mode)
        return path
    }

    /// A process's keychain, as the variables make it.
    private func server(_ variables: [String: String], isNamed: Bool = true) throws -> EmbeddedKeychain {
        let log = keychain.log
        return EmbeddedKeychain(
            .embedded(directory: keychain.path),
            caller: Caller(name: "server", groups: AccessGroups(["server"])),
            log: log.logger(.warning),
            cost: .uncheckedLeast,
            passcode: try PasscodeSource.choose(isNamed: isNamed) { variables[$0] }
        )
    }

    private func server(file: String) throws -> EmbeddedKeychain { try server([PasscodeSource.fileVariable: file]) }

    /// How the keychain is to somebody who has no passcode.
    private func hasPasscode() throws -> Bool {
        try LocalEnclaveFolder(path: keychain.path, cost: .uncheckedLeast).openLocal().state().hasPasscode
    }

    private var isMade: Bool { FileManager.default.fileExists(atPath: keychain.path) }

    /// What a search and an addition are refused with. Nothing is made, and the log says it.
    private func refusal(_ server: () throws -> EmbeddedKeychain) -> String {
        var messages: Set<String> = []
        for call in [{ _ = try $0.accounts() }, { try $0.add("alice") }] as [(EmbeddedKeychain) throws -> Void] {
            do {
                try call(server())
                Issue.record("it went on")
            } catch let error as KeychainError {
                #expect(error.code == .notAvailable)
                messages.insert(error.message)
            } catch {
                Issue.record("\(error)")
            }
        }
        #expect(!isMade)
        #expect(messages.count == 1, "\(messages)")
        return messages.first ?? ""
    }

    private func refusal(file: String) -> String {
        let message = refusal { try server(file: file) }
        #expect(keychain.log.messages.contains(message))
        #expect(message.contains(file))
        return message
    }

    // MARK: - What it is good for

    @Test func `the first start makes the keychain with the passcode, and a later one unlocks it`() throws {
        let file = try write("open sesame\n")
        try server(file: file).add("alice")
        #expect(try hasPasscode())
        #expect(try server(file: file).accounts() == ["alice"])
        #expect(try keychain.files(containing: Array("open sesame".utf8)).isEmpty)
        #expect(keychain.log.messages.isEmpty, "\(keychain.log.messages)")
    }

    @Test func `a line end after the passcode is none of it, and its spelling counts as on a keyboard`() throws {
        try server(file: try write("passé\n")).add("alice")
        #expect(try server(file: try write("passe\u{301}")).accounts() == ["alice"])
    }

    @Test func `a keychain that was made without a passcode is given one`() throws {
        try server([:]).add("alice")
        #expect(try !hasPasscode())
        #expect(try server(file: write("open sesame")).accounts() == ["alice"])
        #expect(try hasPasscode())
    }

    @Test func `a wrong passcode is told, and makes the right one wait as little as the next wrong one`() throws {
        let file = try write("open sesame")
        try server(file: file).add("alice")
        let wrong = try write("open barley", to: "wrong")
        for _ in 0..<8 {
            #expect(failure { () throws(KeychainError) in try wrongly(wrong).accounts() } == .authenticationFailed)
        }
        let told = keychain.log.messages
        #expect(told.count == 8 && told.allSatisfy { $0.contains("passcode") && !$0.contains("barley") }, "\(told)")
        #expect(try server(file: file).accounts() == ["alice"])
    }

    private func wrongly(_ file: String) throws(KeychainError) -> EmbeddedKeychain {
        do { return try server(file: file) } catch { throw KeychainError(.internalError, "\(error)") }
    }

    @Test func `one server says once that its passcode is wrong`() throws {
        try server(file: try write("open sesame")).add("alice")
        let server = try server(file: try write("open barley"))
        for _ in 0..<3 {
            #expect(failure { () throws(KeychainError) in try server.accounts() } == .authenticationFailed)
        }
        #expect(keychain.log.messages.count == 1)
    }

    @Test func `servers that start at the same moment on an empty folder all open one keychain`() throws {
        let file = try write("open sesame")
        for round in 0..<5 {
            let folder = try TestKeychain()
            let results = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { index in
                let result: String
                do {
                    let server = EmbeddedKeychain(
                        .embedded(directory: folder.path),
                        caller: Caller(name: "server", groups: AccessGroups(["server"])),
                        cost: .uncheckedLeast,
                        passcode: .file(PasscodeFile(path: file))
                    )
                    try server.add("replica \(index)")
                    result = "added"
                } catch {
                    result = "\(error)"
                }
                results.withLock { $0.append(result) }
            }
            #expect(results.withLock { $0 } == Array(repeating: "added", count: 6), "round \(round)")
        }
    }

    // MARK: - What is no passcode

    @Test func `where the file is missing nothing is made, and nothing is said to be not found`() {
        #expect(refusal(file: folder + "/passcode").contains("is missing"))
        #expect(refusal(file: folder + "/no folder/passcode").contains("is missing"))
    }

    @Test func `a file that comes later is taken then`() throws {
        let server = try server(file: folder + "/passcode")
        #expect(failure { () throws(KeychainError) in try server.accounts() } == .notAvailable)
        _ = try write("open sesame")
        try server.add("alice")
        #expect(try hasPasscode())
    }

    @Test(arguments: ["", "\n"])
    func `an empty file is no passcode`(contents: String) throws {
        #expect(refusal(file: try write(contents)).contains("is empty"))
    }

    @Test(arguments: ["one\ntwo\n", "one\r\n", "o\0ne", "one\n\n"])
    func `a file with more than a line, or with what nobody types, is no passcode`(contents: String) throws {
        let message = refusal(file: try write(contents))
        #expect(message.contains("has no passcode") && !message.contains("one\n"), "\(message)")
    }

    @Test func `bytes that are no text are no passcode`() throws {
        let file = try write("")
        try keychain.write([0xFF, 0xFE, 0x41], to: file)
        #expect(refusal(file: file).contains("has no passcode"))
    }

    @Test func `a file of any size is refused before it is read`() throws {
        let file = try write("open sesame")
        #expect(truncate(file, 1 << 40) == 0)
        #expect(refusal(file: file).contains("larger"))
        #expect(refusal(file: try write(String(repeating: "a", count: 3_000), to: "long")).contains("has no passcode"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a pipe that nobody writes to, a device, a socket and a folder are refused at once`() throws {
        let pipe = folder + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(refusal(file: pipe).contains("is not a file"))
        #expect(refusal(file: "/dev/zero").contains("is not a file"))
        #expect(refusal(file: "/dev/tty").contains("passcode's file"))
        #expect(refusal(file: folder).contains("is not a file"))
        // A file of the kernel's says that it has no bytes, and has some.
        #expect(refusal(file: "/proc/self/status").contains("passcode's file"))
    }

    @Test func `a link is followed, as Kubernetes makes them, and one that leads nowhere is a file that is missing`()
        throws
    {
        mkdir(folder + "/..data", 0o700)
        _ = try write("open sesame", to: "..data/passcode")
        symlink("..data/passcode", folder + "/passcode")
        try server(file: folder + "/passcode").add("alice")
        #expect(try hasPasscode())
    }

    @Test func `links that lead nowhere, or round and round, are refused`() {
        symlink("nowhere", folder + "/dangling")
        #expect(refusal(file: folder + "/dangling").contains("is missing"))
        symlink("round", folder + "/round")
        #expect(refusal(file: folder + "/round").contains("cannot be opened"))
    }

    // MARK: - Whose file it is

    @Test(arguments: [0o620, 0o602, 0o666] as [mode_t])
    func `a file that others can write is refused`(mode: mode_t) throws {
        #expect(refusal(file: try write("open sesame", mode: mode)).contains("can be written by others"))
    }

    private static let isRoot = geteuid() == 0
    private static let somebody: uid_t = 64_131

    private func read(_ file: String, as reader: uid_t) throws -> [String] {
        var warnings: [String] = []
        _ = try PasscodeFile(path: file, reader: reader).read { warnings.append($0) }
        return warnings
    }

    @Test(.enabled(if: isRoot, "needs root"))
    func `another user's file is refused, and so is one's own that others can read`() throws {
        let file = try write("open sesame")
        #expect(chown(file, Self.somebody, Self.somebody) == 0)
        #expect(try read(file, as: Self.somebody).isEmpty)
        #expect(throws: KeychainError(.notAvailable, "")) { try read(file, as: 0) }
        #expect(throws: KeychainError(.notAvailable, "")) { try read(file, as: Self.somebody + 1) }
        for mode in [0o640, 0o604] as [mode_t] {
            chmod(file, mode)
            #expect(throws: KeychainError(.notAvailable, "")) { try read(file, as: Self.somebody) }
        }
    }

    @Test(.enabled(if: isRoot, "needs root"))
    func `root's file may be readable for a group, and is warned of where everybody can read it`() throws {
        for (mode, isWarnedOf) in [(0o400, false), (0o440, false), (0o444, true), (0o644, true)] as [(mode_t, Bool)] {
            let warnings = try read(write("open sesame", mode: mode), as: Self.somebody)
            #expect(warnings.isEmpty != isWarnedOf, "\(mode): \(warnings)")
            #expect(warnings.allSatisfy { $0.contains(folder + "/passcode") })
        }
    }

    // MARK: - Which one counts

    private func credential(_ text: String, mode: mode_t = 0o400) throws -> String {
        let credentials = folder + "/credentials"
        mkdir(credentials, 0o700)
        _ = try write(text, to: "credentials/chatelaine.passcode", mode: mode)
        return credentials
    }

    @Test(arguments: [true, false])
    func `a credential of systemd's is the passcode of a keychain that is made with it`(isNamed: Bool) throws {
        let variables = ["CREDENTIALS_DIRECTORY": try credential("open sesame\n")]
        try server(variables, isNamed: isNamed).add("alice")
        #expect(try hasPasscode())
        #expect(try server(file: write("open sesame")).accounts() == ["alice"])
    }

    @Test func `a credential that others can read is refused`() throws {
        let variables = ["CREDENTIALS_DIRECTORY": try credential("open sesame", mode: 0o444)]
        #expect(refusal { try server(variables) }.contains("can be read by others"))
    }

    @Test func `credentials without a passcode leave it to the variable, or to nobody`() throws {
        let credentials = folder + "/credentials"
        mkdir(credentials, 0o700)
        try server(["CREDENTIALS_DIRECTORY": credentials]).add("alice")
        #expect(try !hasPasscode())
        _ = try server(["CREDENTIALS_DIRECTORY": credentials, "CHATELAINE_PASSCODE": "1234"]).accounts()
        #expect(try hasPasscode())
    }

    @Test func `the file comes before the credential, which it may be`() throws {
        let variables = ["CREDENTIALS_DIRECTORY": try credential("of the machine")]
        let file = try write("open sesame")
        try server(variables.merging([PasscodeSource.fileVariable: file]) { $1 }).add("alice")
        #expect(try server(file: file).accounts() == ["alice"])
    }

    @Test func `two passcodes are refused, and neither is guessed to be meant`() throws {
        let file = try write("open sesame")
        let credentials = try credential("open sesame")
        for other in [[PasscodeSource.fileVariable: file], ["CREDENTIALS_DIRECTORY": credentials]] {
            let variables = other.merging([PasscodeSource.variable: "1234"]) { $1 }
            let message = refusal { try server(variables) }
            #expect(message.contains("leave one of them out") && !message.contains("1234"), "\(message)")
        }
    }

    @Test(arguments: ["", "passcode", "./passcode", "~/passcode"])
    func `a name that is no whole path never means no passcode`(name: String) {
        #expect(refusal { try server(file: name) }.contains("whole path"))
    }

    @Test func `a person's own keychain takes no passcode from a variable`() throws {
        let file = try write("open sesame")
        #expect(refusal { try server([PasscodeSource.fileVariable: file], isNamed: false) }.contains("names none"))
        try server([PasscodeSource.variable: "1234"], isNamed: false).add("alice")
        #expect(try !hasPasscode())
    }

    @Test func `no source prints what it has`() throws {
        let source = try PasscodeSource.choose(isNamed: true) { $0 == PasscodeSource.variable ? "open sesame" : nil }
        var text = ""
        dump(source, to: &text)
        #expect(!"\(source as Any) \(text)".contains("sesame"))
    }
}
