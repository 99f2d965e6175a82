import Foundation
import KeychainTestSupport
import Testing

/// The helper as git itself uses it.
@Suite struct GitProgramTests {
    private static let fill = "git -c credential.helper= -c credential.helper=chatelaine credential fill"

    @Test(arguments: HelperSite.Keychain.allCases)
    func `git stores, fills in and forgets a password`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        _ = try site.run("git config --global credential.helper chatelaine")
        let named = "protocol=https\nhost=git.example.com\nusername=alice\n"
        let unknown = try site.run("git credential fill", input: named)
        #expect(unknown.status != 0)
        #expect(!unknown.errors.contains("chatelaine"))
        #expect(try site.run("git credential approve", input: named + "password=p w\n").status == 0)
        let known = try site.run("git credential fill", input: "protocol=https\nhost=git.example.com\n")
        #expect(known.status == 0)
        #expect(known.output.contains("username=alice\npassword=p w\n"))
        // Another password was refused, not this one.
        _ = try site.run("git credential reject", input: named + "password=older\n")
        #expect(try site.run("git credential fill", input: named).status == 0)
        _ = try site.run("git credential reject", input: named + "password=p w\n")
        #expect(try site.run("git credential fill", input: named).status != 0)
    }

    @Test(arguments: HelperSite.Keychain.allCases)
    func `git clones and pushes with the stored password`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let server = try CredentialServer(in: site.folder)
        let made = try site.run(
            """
            git config --global credential.helper chatelaine && git config --global user.email a@example.com &&
            git config --global user.name a && git init -q --bare repositories/r.git &&
            git -C repositories/r.git config http.receivepack true
            """
        )
        #expect(made.status == 0, "\(made.errors)")
        let url = "http://127.0.0.1:\(server.port)/git/r.git"
        #expect(try site.run("git clone -q \(url) refused").status != 0)
        let credential = "protocol=http\nhost=127.0.0.1:\(server.port)\nusername=\(CredentialServer.username)\n"
        _ = try site.run("git credential approve", input: credential + "password=\(CredentialServer.password)\n")
        let pushed = try site.run(
            """
            git clone -q \(url) copy && cd copy && echo text >file && git add file && git commit -q -m first &&
            git push -q origin HEAD && git clone -q \(url) ../again && cat ../again/file
            """
        )
        #expect(pushed.status == 0, "\(pushed.errors)")
        #expect(pushed.output == "text\n")
    }

    @Test(arguments: HelperSite.Keychain.allCases)
    func `a refused password is forgotten by the clone that it was refused to`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let server = try CredentialServer(in: site.folder)
        _ = try site.run("git config --global credential.helper chatelaine")
        let credential = "protocol=http\nhost=127.0.0.1:\(server.port)\nusername=alice\n"
        _ = try site.run("git credential approve", input: credential + "password=wrong\n")
        #expect(try site.run("git clone -q http://127.0.0.1:\(server.port)/git/r.git copy").status != 0)
        #expect(try site.run("git-credential-chatelaine get", input: credential + "\n").output.isEmpty)
    }

    @Test(arguments: HelperSite.Keychain.allCases)
    func `a blank line ends the input, although the other end stays open`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        // A pipe that the shell itself keeps open for writing never ends.
        let line =
            "mkfifo pipe && exec 3<>pipe && printf 'protocol=https\\nhost=a\\n\\n' >&3 && git-credential-chatelaine get <pipe"
        #expect(try site.run(line, seconds: 20).status == 0)
    }

    @Test(arguments: HelperSite.Keychain.allCases)
    func `hostile input is refused at once and kills nothing`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let inputs: [Data] = [
            Data(repeating: 0x78, count: 10 << 20), Data(repeating: 0, count: 1 << 16),
            Data(repeating: 0xFF, count: 999),
            Data("protocol=https\nhost=a\0b\n\n".utf8), Data("protocol=https\nhost=a\u{1b}[2J\n\n".utf8),
        ]
        for input in inputs {
            for action in ["get", "store", "erase"] {
                let outcome = try site.run("git-credential-chatelaine \(action)", input: input)
                #expect(outcome.status == 1)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.hasPrefix("git-credential-chatelaine: "))
                #expect(outcome.errors.utf8.count < 200 && !outcome.errors.contains("\u{1b}"))
            }
        }
        #expect(try site.run("git-credential-chatelaine").status == 1)
        #expect(try site.run("git-credential-chatelaine get store").status == 1)
        #expect(try site.run("git-credential-chatelaine get >/dev/full", input: "protocol=https\nhost=a\n").status == 0)
    }

    @Test func `security finds what git stored in an embedded keychain`() throws {
        let site = try HelperSite(.embedded)
        let credential = "protocol=https\nhost=git.example.com:8443\nusername=alice\npassword=p w\n\n"
        #expect(try site.run("git-credential-chatelaine store", input: credential).status == 0)
        let security = HelperSite.program("security")
        let found = try site.run("\(security) find-internet-password -s git.example.com -P 8443 -r htps -a alice -w")
        #expect(found.output == "p w\n")
    }

    @Test func `the command chatelaine runs the helper with the same items`() throws {
        for keychain in HelperSite.Keychain.allCases {
            let site = try HelperSite(keychain)
            let chatelaine = HelperSite.program("chatelaine")
            let credential = "protocol=https\nhost=a.example\nusername=alice\npassword=p\n\n"
            #expect(try site.run("\(chatelaine) credential git store", input: credential).status == 0)
            let found = try site.run("git-credential-chatelaine get", input: "protocol=https\nhost=a.example\n\n")
            #expect(found.output == "username=alice\npassword=p\n")
        }
    }

    @Test func `without a service that answers, each program hears so in its own way`() throws {
        let site = try HelperSite(.embedded)
        let absent = "CHATELAINE_KEYCHAIN=unix:\(site.folder)/nobody"
        let git = try site.run("\(absent) git-credential-chatelaine get", input: "protocol=https\nhost=a\n\n")
        #expect(git.status == 1 && git.output.isEmpty && git.errors.contains("no keychain service answers"))
        #expect(git.errors.split(separator: "\n").count == 1)
        let docker = try site.run("\(absent) docker-credential-chatelaine get", input: "https://a")
        #expect(docker.status == 1 && docker.output.contains("no keychain service answers") && docker.errors.isEmpty)
    }
}
