import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// git's own helper for libsecret, built from the source that comes with git.
@Suite(.enabled(if: GitHelper.obstacle == nil, "\(GitHelper.obstacle ?? "")"), .timeLimit(.minutes(5)))
struct GitHelperTests {
    @Test(arguments: SecretsSite.Keychain.allCases)
    func `git stores, fills and erases, also after the service was started anew`(keychain: SecretsSite.Keychain) throws
    {
        let site = try SecretsSite(keychain)
        let built = try site.run("cp -r \(GitHelper.source) helper && make -C helper", seconds: 120)
        #expect(built.status == 0, "\(built.output)")
        let git =
            "GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 "
            + "git -c credential.helper='\(site.folder)/helper/git-credential-libsecret' credential"
        let url = "protocol=https\nhost=git.example:8443\nusername=alice\n"
        let missing = try site.run("\(git) fill", input: url + "\n")
        #expect(missing.status != 0, "\(missing.output)")
        let approved = try site.run("\(git) approve", input: url + "password=päss w0rd\n\n")
        #expect(approved.status == 0, "\(approved.output)")
        // Another one of the same host.
        let other = url.replacingOccurrences(of: "alice", with: "bob")
        #expect(try site.run("\(git) approve", input: other + "password=other\n\n").status == 0)
        site.stop()
        try site.start()
        #expect(try site.run("\(git) fill", input: url + "\n").output == url + "password=päss w0rd\n")
        #expect(try site.run("\(git) fill", input: other + "\n").output == other + "password=other\n")
        // A new password takes the place of the old one.
        #expect(try site.run("\(git) approve", input: url + "password=new\n\n").status == 0)
        #expect(try site.run("\(git) fill", input: url + "\n").output == url + "password=new\n")
        #expect(try site.run("\(git) reject", input: url + "password=new\n\n").status == 0)
        #expect(try site.run("\(git) fill", input: url + "\n").status != 0)
        #expect(try site.run("\(git) fill", input: other + "\n").output == other + "password=other\n")
    }
}

private enum GitHelper {
    static let source = "/usr/share/doc/git/contrib/credential/libsecret"

    static let obstacle: String? = {
        guard FileManager.default.fileExists(atPath: source + "/Makefile") else {
            return "git's package came without the source of its helper, as where documents are left out"
        }
        guard isThere("pkg-config", "--modversion libsecret-1"), isThere("make"), isThere("gcc") else {
            return "needs libsecret's header, make and gcc, which scripts/setup.sh --tests installs"
        }
        return nil
    }()
}

/// Whether this machine has a command.
///
/// - Parameter question: what it is started with, and ends well with.
func isThere(_ command: String, _ question: String = "--version") -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "\(command) \(question)"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return (try? process.runHearingSignals()) != nil && process.waitForExit() == 0
}
