import Foundation
import KeychainTestSupport
import Testing

/// The real module in the real PAM, after a module that reads fingers, and what it tells to whom.
@Suite(.enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"), .timeLimit(.minutes(3)))
struct FingerPAMTests {
    private let site: LoginSite
    private let password = LoginSite.password

    private static let unlock: UInt8 = 76
    private static let sessionUnlocked: UInt8 = 80
    private static let recognised = "auth required pam_permit.so"
    private static let notRecognised = "auth required pam_deny.so"

    init() throws {
        site = try LoginSite()
    }

    private func write(_ reader: String, options: String = "finger", more: String = "") throws {
        try site.writeFingerPAM(reader, options: options, module: Module.path.get(), more: more)
    }

    @Test func `a finger is told of once all of the stack has let somebody in, and once`() throws {
        try site.startListener()
        try write(Self.recognised)
        #expect(try site.pamtester("authenticate acct_mgmt", input: "").status == 0)
        #expect(site.heard == [])
        let outcome = try site.pamtester("authenticate setcred open_session setcred close_session", input: "")
        #expect(outcome.status == 0)
        #expect(site.heard == [Self.sessionUnlocked])
        let message = try #require(site.log("listener").split(separator: "\n").last)
        // About alice, and nothing but the header.
        #expect(message.count == 24 && UInt32(message.suffix(8), radix: 16) == LoginSite.alice)
    }

    @Test func `a finger that was not recognised is not told of`() throws {
        try site.startListener()
        for reader in [Self.notRecognised, "auth requisite pam_deny.so"] {
            try write(reader)
            #expect(try site.pamtester("authenticate setcred open_session", input: "").status != 0)
        }
        #expect(site.heard == [])
    }

    @Test func `where a later module keeps somebody out, nothing is told`() throws {
        try site.startListener()
        try write(Self.recognised, more: Self.notRecognised)
        #expect(try site.pamtester("authenticate setcred", input: "").status != 0)
        #expect(site.heard == [])
    }

    @Test func `a log-in by password is no finger, wherever the line stands by mistake`() throws {
        try site.startListener()
        let passwords = """
            auth [success=1 default=ignore] pam_unix.so
            auth requisite pam_deny.so
            auth required pam_permit.so
            """
        let module = try Module.path.get()
        let handsOver = "auth optional \(module) socket=\(site.enclaveSocket) timeout=10000 debug"
        // The reader has failed, and the password is asked for after it.
        try write("auth optional pam_deny.so", more: passwords + "\n" + handsOver)
        #expect(try site.pamtester("authenticate setcred", input: password + "\n").status == 0)
        #expect(site.heard == [Self.unlock])
        // The password comes first.
        try write(passwords + "\n" + handsOver)
        #expect(try site.pamtester("authenticate setcred", input: password + "\n").status == 0)
        #expect(site.heard == [Self.unlock, Self.unlock])
    }

    @Test func `a program that is not root tells of no finger`() throws {
        let place = site.folder + "/alices"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        #expect(chown(place, LoginSite.alice, LoginSite.alice) == 0)
        try site.startListener(at: place + "/enclave.sock", as: LoginSite.alice)
        let asAlice =
            "setpriv --reuid \(LoginSite.alice) --regid \(LoginSite.alice) --clear-groups"
        for options in ["finger", "finger as_user"] {
            try write(Self.recognised, options: options + " socket=\(place)/enclave.sock")
            #expect(try site.pamtester("authenticate setcred", input: "", prefix: asAlice).status == 0)
        }
        #expect(site.heard == [])
        // The control: the same line tells it as root.
        #expect(try site.pamtester("authenticate setcred", input: "").status == 0)
        #expect(site.heard == [Self.sessionUnlocked])
    }

    @Test func `without the enclave, and with one that does not answer, the log-in goes on`() throws {
        try write(Self.recognised, options: "finger timeout=200")
        #expect(try site.pamtester("authenticate setcred", input: "").status == 0)
        try site.startListener(answers: false)
        #expect(try site.pamtester("authenticate setcred", input: "").status == 0)
    }
}
