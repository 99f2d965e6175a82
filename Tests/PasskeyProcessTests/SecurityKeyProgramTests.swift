import Foundation
import Glibc
import KeychainTestSupport
import Testing

@Suite(
    "Passkeys by Linux programs that use security keys",
    .timeLimit(.minutes(5)),
    .enabled(if: SecurityKeyPrograms.obstacle == nil, SecurityKeyPrograms.obstacle)
)
struct SecurityKeyProgramTests {
    private static let key = SecurityKeyPrograms.key

    // MARK: - ssh

    @Test func `ssh logs in with a key that ssh-keygen made, once its owner agrees`() throws {
        let programs = try SecurityKeyPrograms()
        programs.site.allow(2)
        let made = try programs.run("ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-f", "sk")
        try #require(made.status == 0, "\(made.errors)\(programs.site.log)")
        #expect(programs.person.shown.contains("make a passkey for ssh: as openssh"), "\(programs.person.shown)")
        let server = try SSHServer("server.example", at: programs)
        try server.authorize(programs.read("sk.pub"))
        let login = try server.logIn(["-i", programs.folder + "/sk"])
        #expect(login.output == "welcome\n", "\(login.errors)\(server.log)\(programs.site.log)")
        #expect(programs.person.dialogs == 2)
        #expect(programs.person.shown.contains("log in to ssh: as openssh"), "\(programs.person.shown)")
        // ssh asks once more.
        for _ in 0..<2 { programs.person.answer(.no) }
        let declined = try server.logIn(["-i", programs.folder + "/sk"])
        #expect(declined.status == 255 && declined.output.isEmpty)
        #expect(programs.person.dialogs <= 4)
    }

    @Test func `a server that demands a verified owner lets in only a key that is made for it`() throws {
        let programs = try SecurityKeyPrograms()
        let server = try SSHServer("server.example", at: programs, ["PubkeyAuthOptions verify-required"])
        programs.site.allow(4)
        for (name, options, output) in [("plain", [], ""), ("verifying", ["-O", "verify-required"], "welcome\n")] {
            let made = try programs.run(
                words: ["ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-f", name] + options
            )
            try #require(made.status == 0, "\(made.errors)\(programs.site.log)")
            try server.authorize(programs.read(name + ".pub"))
            let login = try server.logIn(["-i", "\(programs.folder)/\(name)"])
            #expect(login.output == output, "\(login.errors)\(server.log)\(programs.site.log)")
        }
        #expect(programs.person.dialogs == 4)
    }

    @Test func `a file that a key signs is verified, and one that was changed is not`() throws {
        let programs = try SecurityKeyPrograms()
        programs.site.allow(2)
        try programs.write("text\n", to: "file")
        try programs.shell(
            """
            ssh-keygen -q -t ecdsa-sk -N '' -f sk
            ssh-keygen -q -Y sign -f sk -n file file
            echo "ada $(cat sk.pub)" >signers
            ssh-keygen -q -Y verify -f signers -I ada -n file -s file.sig <file
            """
        )
        try programs.write("texts\n", to: "file")
        let changed = try programs.run(
            "sh",
            "-c",
            "ssh-keygen -q -Y verify -f signers -I ada -n file -s file.sig <file"
        )
        #expect(changed.status != 0)
    }

    @Test func `an Ed25519 key is refused, as the enclave has none`() throws {
        let programs = try SecurityKeyPrograms()
        let refused = try programs.run("ssh-keygen", "-q", "-t", "ed25519-sk", "-N", "", "-f", "sk")
        #expect(refused.status == 255 && refused.errors.contains("requested feature not supported"))
        #expect(programs.person.dialogs == 0)
    }

    // MARK: - fido2-tools

    @Test func `fido2-token shows the key, lists and deletes what is in it, and can neither reset it nor give a PIN`()
        throws
    {
        let programs = try SecurityKeyPrograms()
        programs.site.allow(9)
        #expect(try programs.run("fido2-token", "-L").output.hasPrefix(Self.key + ": "))
        let about = try programs.run("fido2-token", "-I", Self.key).output
        for line in [
            "version strings: FIDO_2_0, FIDO_2_1", "extension strings: credBlob, credProtect, hmac-secret",
            "aaguid: c4a7e1a14e1b4f0b8e3d526b9c70d815", "maxmsgsiz: 1768", "pin protocols: 2, 1",
        ] { #expect(about.contains(line + "\n"), "\(about)") }
        #expect(programs.person.dialogs == 0)
        try programs.shell("ssh-keygen -q -t ecdsa-sk -O resident -N '' -f sk")
        let asked = programs.person.dialogs
        let listed = try programs.shell("fido2-token -L -k ssh: \(Self.key)")
        #expect(listed.contains(" openssh ") && listed.contains(" es256 "), "\(listed)")
        #expect(programs.person.dialogs == asked + 1)
        let credential = try #require(listed.split(separator: " ").dropFirst().first)
        for (words, error) in [
            (["fido2-token", "-R", Self.key], "FIDO_ERR_NOT_ALLOWED"), (["fido2-token", "-S", Self.key], "PIN"),
        ] {
            let refused = try programs.run(words: words)
            #expect(refused.status == 1 && refused.errors.contains(error), "\(refused.errors)")
        }
        try programs.shell("fido2-token -D -i '\(credential)' \(Self.key)")
        let empty = try programs.run("fido2-token", "-L", "-r", Self.key)
        #expect(empty.status == 1 && empty.errors.contains("FIDO_ERR_NO_CREDENTIALS"))
    }

    @Test func `fido2-cred and fido2-assert verify what is made and signed, and a secret is the same each time`() throws
    {
        let programs = try SecurityKeyPrograms()
        programs.site.allow(3)
        try programs.shell(
            """
            random() { head -c "$1" /dev/urandom | base64 -w0; echo; }
            { random 32; echo example.com; echo ada; random 16; } >wish
            fido2-cred -M -h -i wish \(Self.key) es256 >made
            fido2-cred -V -h -i made es256 >credential
            tail -n +2 credential >public.pem
            random 64 >salt
            for number in 1 2; do
                { random 32; echo example.com; head -n 1 credential; cat salt; } >challenge
                fido2-assert -G -h -i challenge \(Self.key) >signed
                head -n 4 signed >proof
                fido2-assert -V -h -p -i proof public.pem es256
                sed -n 5p signed >secret$number
            done
            test -s secret1
            cmp secret1 secret2
            """
        )
        #expect(programs.person.dialogs == 3)
    }

    // MARK: - Log-ins and disks

    @Test(.enabled(if: geteuid() == 0, "needs root, for a folder /etc/pam.d that nobody else sees"))
    func `pam_u2f lets in whom the owner agrees to, and nobody else`() throws {
        let programs = try SecurityKeyPrograms()
        programs.site.allow(1)
        try programs.shell(
            """
            random=$(head -c 32 /dev/urandom | base64 -w0)
            printf '%s\\n' "$random" "pam://$(hostname)" root "$random" >wish
            fido2-cred -M -i wish \(Self.key) es256 >made
            fido2-cred -V -i made es256 >credential
            tail -n +2 credential | openssl pkey -pubin -outform DER | tail -c 64 | base64 -w0 >point
            printf 'root:%s,%s,es256,+presence' "$(head -n 1 credential)" "$(cat point)" >presence
            printf 'root:%s,%s,es256,+presence+verification' "$(head -n 1 credential)" "$(cat point)" >verification
            mkdir pam
            for file in presence verification; do
                printf '%s\\n' "auth required pam_u2f.so authfile=$PWD/$file" 'account required pam_permit.so' >pam/$file
            done
            """
        )
        func logIn(_ service: String) throws -> FinishedProgram {
            let line = "mount --bind pam /etc/pam.d && pamtester \(service) root authenticate"
            return try programs.run("unshare", "--mount", "--propagation", "private", "sh", "-c", line)
        }
        for service in ["presence", "verification"] {
            let asked = programs.person.dialogs
            programs.site.allow(1)
            let welcome = try logIn(service)
            #expect(welcome.status == 0, "\(welcome.output)\(welcome.errors)\(programs.site.log)")
            #expect(programs.person.dialogs == asked + 1)
            programs.person.answer(.no)
            #expect(try logIn(service).status != 0)
        }
        #expect(programs.person.shown.contains("log in to pam://"), "\(programs.person.shown)")
        // Deleted passkeys open nothing.
        let line = try #require(programs.site.listed().split(separator: "\n").first { $0.contains("pam://") })
        programs.site.allow(1)
        let deleted = try programs.site.passkeys("delete", String(line.split(separator: " ")[0]))
        try #require(deleted.status == 0, "\(deleted.errors)")
        #expect(try logIn("presence").status != 0)
    }

    @Test func `systemd-cryptenroll gives a disk a key of one's own, which opens it while there is the passkey`() throws
    {
        let programs = try SecurityKeyPrograms()
        programs.site.allow(3)
        try programs.shell(
            """
            truncate -s 20M disk
            printf first >passphrase
            cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 disk passphrase
            PASSWORD=first systemd-cryptenroll --fido2-device=\(Self.key) disk
            cryptsetup open --test-passphrase --token-only disk </dev/null
            """
        )
        #expect(programs.person.dialogs == 3)
        #expect(programs.person.shown.contains("io.systemd.cryptsetup"), "\(programs.person.shown)")
        let open = ["cryptsetup", "open", "--test-passphrase", "--token-only", "disk"]
        programs.person.answer(.no)
        #expect(try programs.run(words: open).status != 0)
        let line = try #require(programs.site.listed().split(separator: "\n").first { $0.contains("cryptsetup") })
        programs.site.allow(1)
        let deleted = try programs.site.passkeys("delete", String(line.split(separator: " ")[0]))
        try #require(deleted.status == 0, "\(deleted.errors)")
        programs.site.allow(1)
        #expect(try programs.run(words: open).status != 0)
    }
}
