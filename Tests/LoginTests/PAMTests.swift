import EnclaveInterface
import Foundation
import KeychainTestSupport
import Testing

/// The module, built as it is installed.
enum Module {
    static let path = Result { () throws -> String in
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        let output = Pipe()
        process.executableURL = root.appending(path: "scripts/pam.sh")
        process.standardOutput = output
        try process.runHearingSignals()
        process.waitForExit()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw LoginSite.Failure(description: "scripts/pam.sh failed") }
        return root.appending(path: text.trimmingCharacters(in: .newlines)).path
    }
}

/// The real module in the real PAM, and what it tells to whom.
@Suite(.enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"), .timeLimit(.minutes(3)))
struct PAMTests {
    private let site: LoginSite
    private let password = LoginSite.password

    private static let lock: UInt8 = 33
    private static let unlock: UInt8 = 76
    private static let change: UInt8 = 65

    init() throws {
        site = try LoginSite()
        try writePAM()
    }

    private func writePAM(_ options: String = "") throws {
        try site.writePAM(options: options, module: Module.path.get())
    }

    /// As passwd(1) runs: for alice, with root's rights.
    private func changePassword() throws -> LoginSite.Outcome {
        try site.pamtester(
            "chauthtok",
            input: "\(password)\nn0vel Passw0rd\nn0vel Passw0rd\n",
            prefix: "setpriv --ruid \(LoginSite.alice)"
        )
    }

    @Test func `the password is handed over once all of the stack has let somebody in`() throws {
        try site.startListener()
        #expect(try site.pamtester("authenticate acct_mgmt", input: password + "\n").status == 0)
        #expect(site.heard == [])
        #expect(try site.pamtester("authenticate setcred open_session", input: password + "\n").status == 0)
        #expect(site.heard == [Self.unlock])
    }

    @Test func `opening a session is enough where nobody sets credentials`() throws {
        try site.startListener()
        #expect(try site.pamtester("authenticate open_session", input: password + "\n").status == 0)
        #expect(site.heard == [Self.unlock])
    }

    @Test func `an account that has expired hands nothing over, though the password is right`() throws {
        try site.startListener()
        #expect(try site.run("usermod --expiredate 1 alice", inOwnEtc: true).status == 0)
        #expect(try site.pamtester("authenticate acct_mgmt setcred", input: password + "\n").status != 0)
        #expect(site.heard == [])
    }

    @Test func `a wrong log-in password is not handed over`() throws {
        try site.startListener()
        #expect(try site.pamtester("authenticate setcred open_session", input: "wrong\n").status != 0)
        #expect(site.heard == [])
    }

    @Test func `a change of the password hands over the old one and the new one`() throws {
        try site.startListener()
        let changed = try changePassword()
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(site.heard == [Self.change])
        let message = Data("\(password)\u{1}\u{0}\u{e}n0vel Passw0rd".utf8).map { String(format: "%02x", $0) }.joined()
        #expect(site.log("listener").contains(message))
    }

    @Test func `an administrator who sets a password changes no passcode`() throws {
        try site.startListener()
        let changed = try site.pamtester("chauthtok", input: "n0vel Passw0rd\nn0vel Passw0rd\n")
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(site.heard == [])
    }

    @Test func `the end of a session locks where it is asked to`() throws {
        try site.startListener()
        #expect(try site.pamtester("open_session close_session", input: "").status == 0)
        #expect(site.heard == [])
        try writePAM("lock_on_close")
        #expect(try site.pamtester("open_session close_session", input: "").status == 0)
        #expect(site.heard == [Self.lock])
    }

    @Test func `a program that is not root hands over only where it is told to`() throws {
        let place = site.folder + "/alice"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        #expect(chown(place, LoginSite.alice, LoginSite.alice) == 0)
        try site.startListener(at: place + "/enclave.sock", as: LoginSite.alice)
        let asAlice = "setpriv --reuid \(LoginSite.alice) --clear-groups"
        // Without the shadow file nobody but root can verify a password, so that everybody is let in.
        for (options, heard) in [("", []), ("as_user", [Self.unlock])] {
            try writePAM("socket=\(place)/enclave.sock \(options)")
            #expect(
                try site.run(
                    """
                    sed -i -e 's/^auth .*pam_unix.*/auth optional pam_exec.so quiet expose_authtok \\/bin\\/true/' \
                        -e '/^auth .*pam_deny/d' '\(site.folder)/etc/pam.d/chatelaine-test'
                    """
                ).status == 0
            )
            let outcome = try site.pamtester("authenticate setcred", input: password + "\n", prefix: asAlice)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(site.heard == heard)
        }
    }

    @Test func `a password goes to nobody but root, the enclave and its owner`() throws {
        let place = site.folder + "/caught"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        #expect(chown(place, 64_099, 64_099) == 0)
        try site.startListener(at: place + "/enclave.sock", as: 64_099)
        try writePAM("socket=\(place)/enclave.sock")
        #expect(try site.pamtester("authenticate setcred open_session", input: password + "\n").status == 0)
        #expect(site.log("listener") == "ready\n")
    }

    @Test func `without the service the log-in goes on`() throws {
        let outcome = try site.pamtester("authenticate setcred open_session close_session", input: password + "\n")
        #expect(outcome.status == 0)
    }

    @Test func `a service that does not answer holds up no log-in`() throws {
        try site.startListener(answers: false)
        try writePAM("timeout=200")
        #expect(try site.pamtester("authenticate setcred open_session", input: password + "\n").status == 0)
    }

    @Test(arguments: ["timeout=0", "timeout=99999999999999999999", "timeout=", "socket=", "nonsense"])
    func `options that make no sense are named in the log and keep nobody out`(_ option: String) throws {
        try writePAM(option)
        #expect(try site.pamtester("authenticate setcred open_session", input: password + "\n").status == 0)
    }

    @Test func `a password that no passcode can be is not handed over`() throws {
        try site.startListener()
        // PAM gives 511 bytes at most of what is typed; a change brings what a program says.
        #expect(try site.pamtester("authenticate setcred", input: "\n").status != 0)
        #expect(site.heard == [])
    }
}

/// The same with the real service behind it.
@Suite(
    .serialized,
    .enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"),
    .timeLimit(.minutes(5))
)
struct LoginTests {
    private let site: LoginSite
    private let password = LoginSite.password

    init() throws {
        site = try LoginSite()
        try site.writePAM(module: Module.path.get())
        try site.startService()
    }

    @Test func `a log-in unlocks, and a change of the password changes the passcode`() throws {
        try site.setPasscode()
        try site.logOut()
        #expect(try site.pamtester("authenticate setcred open_session", input: password + "\n").status == 0)
        #expect(try site.lock == .unlocked)
        let changed = try site.pamtester(
            "chauthtok",
            input: "\(password)\nn0vel Passw0rd\nn0vel Passw0rd\n",
            prefix: "setpriv --ruid \(LoginSite.alice)"
        )
        #expect(changed.status == 0, "\(changed.errors)")
        try site.logOut()
        #expect(try site.pamtester("authenticate setcred", input: "n0vel Passw0rd\n").status == 0)
        #expect(try site.lock == .unlocked)
    }

    @Test func `a change of the password sets no passcode where there is none`() throws {
        try #require(site.asAlice("security add-generic-password -s mail -a alice -w secret").status == 0)
        let changed = try site.pamtester(
            "chauthtok",
            input: "\(password)\nn0vel Passw0rd\nn0vel Passw0rd\n",
            prefix: "setpriv --ruid \(LoginSite.alice)"
        )
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(try site.hasPasscode == false)
    }

    @Test func `a log-in password that is not the passcode counts for no guess, and is in no log`() throws {
        try site.setPasscode("another passcode")
        try site.logOut()
        for _ in 0..<4 {
            let outcome = try site.pamtester("authenticate setcred", input: password + "\n")
            #expect(outcome.status == 0)
            #expect(!outcome.errors.contains(password))
        }
        #expect(try site.lock == .beforeFirstUnlock)
        #expect(!site.log("service").contains(password))
        // After four wrong ones of the owner's own, this would have to wait.
        #expect(try site.asAlice("chatelaine unlock --stdin", input: "another passcode\n").status == 0)
        #expect(try site.lock == .unlocked)
    }
}
