import Foundation
import KeychainTestSupport
import Testing

@Suite("Importing from gnome-keyring")
struct SecretServiceTests {
    private static let isInstalled = ["gnome-keyring-daemon", "dbus-run-session", "secret-tool", "gdbus"].allSatisfy {
        name in
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + name)
    }

    @Test(.enabled(if: isInstalled, "needs gnome-keyring, dbus and libsecret-tools"))
    func `what a real gnome-keyring has comes over (needs gnome-keyring)`() throws {
        let keychain = try TestKeychain()
        let command = BackupCommand(keychain: keychain)
        let home = command.path("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let script = """
            export HOME=\(home) XDG_DATA_HOME=\(home)/data XDG_RUNTIME_DIR=\(home) XDG_CACHE_HOME=\(home)/cache
            printf pw | gnome-keyring-daemon --foreground --unlock --components=secrets >/dev/null 2>&1 &
            # Not by asking for it: the bus would start another one, which asks for a password.
            gdbus wait --session --timeout 30 org.freedesktop.secrets
            printf 'one two' | secret-tool store --label=Mail service mail username me
            printf 'three' | secret-tool store --label=Files server files.example user you protocol sftp folder inbox
            "$1" import --from gnome-keyring 2>"$HOME/lost"; "$1" import --from gnome-keyring 2>/dev/null
            kill $!
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "timeout", "-k", "5", "60", "dbus-run-session", "--", "sh", "-c", script, "sh",
            ServiceProcess.program("chatelaine"),
        ]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["CHATELAINE_KEYCHAIN": keychain.variable]) { $1 }
        // A file, since a pipe would have no end for as long as anything is left of the session.
        let output = command.path("output")
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        try process.runHearingSignals()
        process.waitForExit()
        let said = try String(contentsOfFile: output, encoding: .utf8)
        #expect(said == "2 added\n0 added\n2 there already\n")
        // What passwords do not keep is said, with what keeps it.
        let lost = try String(contentsOfFile: home + "/lost", encoding: .utf8)
        #expect(lost.hasPrefix("Passwords have no place for these attributes: folder.\n"), "\(lost)")
        #expect(lost.contains("chatelaine secrets import"), "\(lost)")
    }
}
