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
                let list = try alice.run("systemd-run --user --quiet --wait --pipe ssh-add -l")
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
    }
}
