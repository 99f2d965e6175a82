import EnclaveClient
import EnclaveInterface
import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Where the module looks for the enclave when nobody names a socket, and what a user can put there.
@Suite(.enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"), .timeLimit(.minutes(3)))
struct PAMPlaceTests {
    private let site: LoginSite
    private let password = LoginSite.password

    init() throws {
        site = try LoginSite()
        try site.writePAM(module: Module.path.get(), namesSocket: false)
    }

    /// Logs alice in where `/run` is the site's own, prepared by some lines of shell.
    private func logIn(_ preparation: String) throws -> LoginSite.Outcome {
        try site.run(
            """
            mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p /run/user/\(LoginSite.alice) &&
            chown \(LoginSite.alice):\(LoginSite.alice) /run/user/\(LoginSite.alice) &&
            chmod 700 /run/user/\(LoginSite.alice) && cd /run/user/\(LoginSite.alice) &&
            as_alice() { setpriv --reuid \(LoginSite.alice) --regid \(LoginSite.alice) --clear-groups -- "$@"; }
            \(preparation)
            pamtester chatelaine-test alice 'authenticate' setcred open_session
            """,
            input: password + "\n",
            inOwnEtc: true
        )
    }

    /// A listener in a folder that the user may enter, to which a link can lead.
    private func startListener(as user: UInt32) throws -> String {
        let place = site.folder + "/elsewhere/chatelaine"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        #expect(chown(place, user, user) == 0)
        try site.startListener(at: place + "/enclave.sock", as: user)
        return place
    }

    @Test func `a link of the user's to root's socket is not followed`() throws {
        let place = try startListener(as: 0)
        for line in [
            "as_alice ln -s '\(place)' chatelaine",
            "as_alice mkdir chatelaine && as_alice ln -s '\(place)/enclave.sock' chatelaine/enclave.sock",
            "rmdir ../\(LoginSite.alice) && ln -s '\(site.folder)/elsewhere' ../\(LoginSite.alice)",
        ] {
            let outcome = try logIn(line)
            #expect(outcome.status == 0, "\(line): \(outcome.errors)")
            #expect(site.log("listener") == "ready\n", "\(line): \(site.log("listener"))")
        }
    }

    @Test func `nor is one to a socket of the user's own, of another user's, or a folder that others can change`()
        throws
    {
        let place = try startListener(as: LoginSite.alice)
        let bound = "mkdir chatelaine && mount --bind '\(place)' chatelaine"
        for line in [
            "as_alice ln -s '\(place)' chatelaine",
            "\(bound) && chmod 770 chatelaine",
            "\(bound) && chown \(LoginSite.enclave) chatelaine",
            "\(bound) && chown \(LoginSite.alice) chatelaine && chmod 755 chatelaine && chown 0 .",
            "\(bound) && chown \(LoginSite.alice) . && chown \(LoginSite.enclave) chatelaine/enclave.sock",
        ] {
            #expect(try logIn(line).status == 0, "\(line)")
            #expect(site.log("listener") == "ready\n", "\(line): \(site.log("listener"))")
        }
        // The same, as it should be.
        #expect(try logIn("\(bound) && chown \(LoginSite.alice) chatelaine chatelaine/enclave.sock").status == 0)
        #expect(site.heard == [76])
    }

    @Test func `the system's socket is root's folder's, and its listener root or the enclave`() throws {
        let place = try startListener(as: 0)
        let bound = "mkdir /run/chatelaine && mount --bind '\(place)' /run/chatelaine"
        for line in [
            "ln -s '\(place)' /run/chatelaine", "\(bound) && chmod 777 /run/chatelaine",
            "\(bound) && chmod 755 /run/chatelaine && chown \(LoginSite.alice) /run/chatelaine",
            "\(bound) && chown 0:0 /run/chatelaine && chmod 777 /run",
        ] {
            #expect(try logIn(line).status == 0, "\(line)")
            #expect(site.log("listener") == "ready\n", "\(line): \(site.log("listener"))")
        }
        #expect(try logIn("\(bound) && chown 0:0 /run/chatelaine").status == 0)
        #expect(site.heard == [76])
    }
}

/// The first passcode, at a log-in, with the real service.
@Suite(.serialized, .enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"), .timeLimit(.minutes(5)))
struct FirstPasscodeTests {
    private let site: LoginSite
    private let password = LoginSite.password

    init() throws {
        site = try LoginSite()
        try site.startService()
    }

    private func logIn(_ options: String, _ operations: String = "authenticate setcred open_session") throws {
        try site.writePAM(options: options, module: Module.path.get())
        let outcome = try site.pamtester(operations, input: password + "\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func state() throws -> EnclaveState {
        try RemoteEnclaveControl(connectingTo: site.enclaveSocket, uid: LoginSite.alice).state()
    }

    private func makeKeychain() throws {
        let added = try site.asAlice("security add-generic-password -s mail -a alice -w secret")
        #expect(added.status == 0, "\(added.errors)")
    }

    @Test func `the log-in password becomes the first passcode where the module is told to`() throws {
        try makeKeychain()
        try logIn("")
        #expect(try !state().hasPasscode)
        // Not before all of the stack has let the person in.
        try logIn("set_passcode", "authenticate")
        #expect(try !state().hasPasscode)
        try logIn("set_passcode")
        #expect(try state().hasPasscode)
        try site.logOut()
        #expect(try site.lock == .beforeFirstUnlock)
        try logIn("set_passcode")
        #expect(try site.lock == .unlocked)
        #expect(try site.asAlice("security find-generic-password -s mail -w").output == "secret\n")
    }

    @Test func `what a log-in asks for is done also where the enclave is slow and nobody waits for it`() throws {
        let enclave = "pkill --full --signal"
        let process = "'chatelaine-enclav[e].*\(site.folder)'"
        try makeKeychain()
        #expect(try site.run("\(enclave) STOP \(process)").status == 0)
        try logIn("set_passcode timeout=50")
        #expect(try site.run("\(enclave) CONT \(process)").status == 0)
        try site.wait(for: "the passcode") { try state().hasPasscode }
        try site.logOut()
        #expect(try site.run("\(enclave) STOP \(process)").status == 0)
        try logIn("set_passcode timeout=50")
        #expect(try site.run("\(enclave) CONT \(process)").status == 0)
        try site.wait(for: "the unlocked keychain") { try site.lock == .unlocked }
    }

    @Test func `a passcode that is there stays, and nobody without a keychain gets one`() throws {
        try logIn("set_passcode")
        #expect(try site.run("find '\(site.folder)/enclave' -name keybag").output.isEmpty)
        try site.setPasscode("another passcode")
        try site.logOut()
        try logIn("set_passcode")
        #expect(try site.lock == .beforeFirstUnlock)
        #expect(try site.asAlice("chatelaine unlock --stdin", input: "another passcode\n").status == 0)
        try logIn("set_passcode")
        try site.logOut()
        #expect(try site.asAlice("chatelaine unlock --stdin", input: "another passcode\n").status == 0)
    }

    @Test func `a program that is not root sets none, even where it may unlock`() throws {
        try makeKeychain()
        try site.writePAM(options: "set_passcode as_user", module: Module.path.get())
        #expect(
            try site.run(
                """
                sed -i -e 's/^auth .*pam_unix.*/auth optional pam_exec.so quiet expose_authtok \\/bin\\/true/' \
                    -e '/^auth .*pam_deny/d' '\(site.folder)/etc/pam.d/chatelaine-test'
                """
            ).status == 0
        )
        let asAlice = "setpriv --reuid \(LoginSite.alice) --clear-groups"
        let outcome = try site.pamtester("authenticate setcred", input: password + "\n", prefix: asAlice)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try !state().hasPasscode)
        // Nor does somebody who gives no password.
        let empty = try site.pamtester("authenticate setcred", input: "\n")
        #expect(empty.status == 0, "\(empty.errors)")
        #expect(try !state().hasPasscode)
    }
}
