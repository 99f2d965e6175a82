import Foundation
import KeychainTestSupport
import Testing

/// Keychains with what earlier versions of the programs that serve others have stored (`scripts/golden-programs.sh`): every
/// later version of these programs reads them.
@Suite("What programs stored before", .serialized)
struct GoldenProgramTests {
    /// One folder for each version of what is stored.
    static let versions = ["programs-1", "programs-2"]

    /// A copy of a kept keychain, in a folder that has the other files too.
    private func keychain(_ name: String, of version: String) throws -> Sandbox {
        let sandbox = try Sandbox()
        let resources = try #require(Bundle.module.resourceURL)
        let kept = resources.appending(path: "Keychains/\(version)/\(name)")
        try FileManager.default.createDirectory(atPath: sandbox.keychain, withIntermediateDirectories: true)
        chmod(sandbox.keychain, 0o700)
        for file in try FileManager.default.contentsOfDirectory(atPath: kept.path) {
            let copy =
                (file.hasSuffix(".pub") || file.hasSuffix(".secret") ? sandbox.folder.path : sandbox.keychain) + "/"
                + file
            try FileManager.default.copyItem(atPath: kept.appending(path: file).path, toPath: copy)
            chmod(copy, 0o600)
        }
        #expect(try sandbox.run("chatelaine adopt-keychain --directory '\(sandbox.keychain)'").status == 0)
        return sandbox
    }

    /// Runs lines of bash while a program of ours serves.
    private func run(_ lines: String, serving program: String, _ sandbox: Sandbox) throws -> Sandbox.Outcome {
        let script = """
            set -eu
            \(program) >server.log 2>&1 & server=$!
            trap 'kill $server; wait $server || true' EXIT
            \(lines)
            """
        try Data(script.utf8).write(to: sandbox.folder.appending(path: "script"))
        return try sandbox.run("timeout 120 dbus-run-session -- bash script")
    }

    /// Version 1 had the secrets of applications among the items of clients.
    @Test(arguments: versions.dropFirst())
    func `an application gets its secret of the portal's place`(version: String) throws {
        let sandbox = try keychain("secret-service", of: version)
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../scripts/portal-secret.py").path
        let outcome = try run(
            """
            until gdbus call --session --dest org.freedesktop.DBus --object-path / \\
                --method org.freedesktop.DBus.NameHasOwner org.freedesktop.secrets | grep -q true; do sleep 0.1; done
            /usr/bin/python3 '\(script)' org.example.Golden
            /usr/bin/python3 '\(script)' org.example.Other | wc -c
            """,
            serving: "chatelaine-secrets serve",
            sandbox
        )
        let kept = try String(contentsOf: sandbox.folder.appending(path: "portal.secret"), encoding: .utf8)
        #expect(kept.count == 129)
        #expect(outcome.output == kept + "129\n", "\(outcome.output)\(outcome.errors)")
    }

    @Test(arguments: versions)
    func `items of the Secret Service are found by their attributes, in their collections`(version: String) throws {
        let sandbox = try keychain("secret-service", of: version)
        let outcome = try run(
            """
            until gdbus call --session --dest org.freedesktop.DBus --object-path / \\
                --method org.freedesktop.DBus.NameHasOwner org.freedesktop.secrets | grep -q true; do sleep 0.1; done
            secret-tool lookup server example.org user alice; echo
            secret-tool lookup server example.org user bob
            secret-tool lookup net office; echo
            secret-tool search --all server example.org 2>&1 | grep '^label' | sort
            gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets \\
                --method org.freedesktop.Secret.Service.ReadAlias work | grep -c collection/Work
            """,
            serving: "chatelaine-secrets serve",
            sandbox
        )
        #expect(
            outcome.output == "golden secret\nGölden\nat work\nlabel = Mail\nlabel = Zwei Zeilen\n1\n",
            "\(outcome.output)\(outcome.errors)"
        )
    }

    @Test(arguments: versions)
    func `keys of the ssh agent are listed, and sign what their public halves verify`(version: String) throws {
        let sandbox = try keychain("ssh-agent", of: version)
        let outcome = try run(
            """
            export SSH_AUTH_SOCK=$PWD/agent.sock
            until [ -S agent.sock ]; do sleep 0.1; done
            ssh-add -l | awk '{ print $1, $3, $4 }' | sort
            for key in ed25519 rsa ecdsa enclave; do
                printf 'me %s\\n' "$(cut -d ' ' -f 1,2 $key.pub)" >signers
                echo hello | ssh-keygen -q -Y sign -n file -f $key.pub >signature
                echo hello | ssh-keygen -q -Y verify -n file -f signers -I me -s signature && echo $key
            done
            """,
            serving: "chatelaine-ssh-agent serve --socket $PWD/agent.sock",
            sandbox
        )
        let expected =
            "2048 golden rsa\n256 golden ed25519\n256 golden enclave\n384 golden ecdsa\ned25519\nrsa\necdsa\nenclave\n"
        #expect(outcome.output == expected, "\(outcome.output)\(outcome.errors)")
    }

    @Test(arguments: versions)
    func `credentials of git, docker and AWS are given back with all that came with them`(version: String) throws {
        let sandbox = try keychain("credentials", of: version)
        func credential(_ name: String, _ line: String, _ input: String = "") throws -> String {
            let program = "/usr/local/libexec/chatelaine/chatelaine-credential"
            let outcome = try sandbox.run("chatelaine credential-helper \(program) \(name) \(line)", input: input)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            return outcome.output
        }
        let git = try credential(
            "git-credential-chatelaine",
            "get",
            "protocol=https\nhost=example.org\nusername=alice\n\n"
        )
        #expect(
            Set(git.split(separator: "\n")).isSuperset(of: [
                "username=alice", "password=golden", "password_expiry_utc=4102444800", "oauth_refresh_token=refresh",
            ]),
            "\(git)"
        )
        let docker = try credential("docker-credential-chatelaine", "get", "https://registry.example.org")
        #expect(docker.contains("\"Username\":\"bob\"") && docker.contains("\"Secret\":\"docker secret\""), "\(docker)")
        let aws = try credential("chatelaine-credential", "aws work")
        #expect(aws.contains("\"AccessKeyId\":\"AKIAGOLDEN\"") && aws.contains("\"aws secret\""), "\(aws)")
    }
}
