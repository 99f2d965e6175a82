import Machine
import Testing

extension Scenarios {
    @Suite(.serialized) struct BridgeTests {
        @Test func `programs of a session keep secrets and use ssh keys through what the package has installed`() throws
        {
            try Installed.scenario { machine in
                var alice = try machine.logIn(.alice)
                try alice.run("chatelaine secrets enable")
                try alice.run("chatelaine ssh create --comment laptop --no-presence && chatelaine ssh enable")
                try alice.logOut()
                try machine.waitUntilGone(.alice)
                alice = try machine.logIn(.alice)
                try alice.run("printf geheim | secret-tool store --label=mail service mail")
                try #require(alice.run("secret-tool lookup service mail").text == "geheim")
                try alice.run("systemctl --user is-active chatelaine-secrets.service")
                // A program of the session, with the environment that its systemd gives it.
                let list = try alice.run("systemd-run --user --quiet --wait --pipe ssh-add -l </dev/null")
                try #require(list.says(" laptop (ECDSA)"))
                try alice.run("systemctl --user is-active chatelaine-ssh-agent.service")
                try alice.run("export SSH_AUTH_SOCK=$XDG_RUNTIME_DIR/chatelaine/ssh.sock")
                try alice.run("chatelaine ssh export laptop --file laptop.pub && echo text >file")
                try alice.run("ssh-keygen -Y sign -q -f laptop.pub -n file file")
                // The units confine them, and the service still knows which programs they are.
                try alice.run("systemctl --user --failed --no-legend | { ! grep . ; }")
                try machine.run(as: "bob", "SSH_AUTH_SOCK=/run/user/1000/chatelaine/ssh.sock ssh-add -l", status: 2)
            }
        }

        @Test func `a person has a security key of their own, which ssh signs with after they have agreed`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try machine.root("update-alternatives --set pinentry /usr/bin/pinentry-tty")
                // The security key has no terminal: the prompt appears where the agent runs.
                try alice.run("export GPG_TTY=$(tty) && systemctl --user import-environment GPG_TTY TERM")
                try alice.run("systemctl --user start chatelaine-agent && chatelaine passkeys enable")
                try alice.run(
                    "for try in $(seq 60); do chatelaine passkeys status | grep -q hidraw && break; sleep 1; done"
                )
                let status = try alice.run("chatelaine passkeys status")
                try #require(status.says("device: /dev/hidraw"))
                let node = try alice.run("chatelaine passkeys status | sed -n 's/^device: //p'").text
                try #require(alice.run("stat -c '%U %a' \(node)").text == "alice 600")
                try #require(alice.run("fido2-token -L").says(node))
                // Who sits at the machine makes no difference, and neither does another user's wish for a keyboard.
                try machine.run(as: "bob", "fido2-token -I \(node)", status: 1)
                try machine.run(as: "bob", "exec 3<>/dev/uhid", status: 1)
                try alice.type("ssh-keygen -q -t ecdsa-sk -N '' -f sk\n")
                try alice.expect("passcode", seconds: 120)
                try alice.type("correct horse\n")
                try machine.root("until [ -e ~alice/sk.pub ]; do sleep 1; done", seconds: 120)
                let record = try machine.root("chatelaine audit --system --uid 1000 --lines 20")
                try #require(record.says("chatelaine.passkeys"))
                try alice.run("chatelaine passkeys disable")
                try machine.root("until [ ! -e \(node) ]; do sleep 1; done", seconds: 60)
            }
        }

        @Test func `a program with a library of its own is not the one that has the passkeys`() throws {
            try Installed.scenario { machine in
                let alice = try machine.logIn(.alice)
                let program = "/usr/libexec/chatelaine/chatelaine-passkeys"
                try alice.run("security add-generic-password -s mail -a alice -w geheim")
                try #require(alice.run("stat -c '%G %a' \(program)").text == "chatelaine-app 2755")
                try alice.run("\(program) list")
                let record = try machine.root("chatelaine audit --system --uid 1000 --lines 1")
                try #require(record.says("chatelaine.passkeys"))
                for start in ["setpriv --no-new-privs", "strace -o /dev/null"] {
                    try alice.run("\(start) \(program) list", status: 1)
                }
                try alice.run("cp \(program) copy && ./copy list", status: 1)
            }
        }
    }
}
