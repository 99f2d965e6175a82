import Machine
import Testing

extension Scenarios {
    @Suite(.serialized) struct UpgradeTests {
        @Test func `an upgrade and a downgrade keep items, keys, teams and running clients`() throws {
            try Installed.scenario(at: "fresh") { machine in
                try Package.install(on: machine, "/mnt/test/previous.deb")
                let alice = try machine.logIn(.alice)
                try fill(machine, alice)
                let identities = try alice.run("security find-identity -v").text
                // One process that goes on through all that follows. It is no program of the package's: after an update
                // such a one is another program until it is started again.
                try machine.root("install /usr/bin/security /usr/local/bin/reader")
                try alice.run("/usr/local/bin/reader add-generic-password -s kept -a alice -w 'hunter 3'")
                try alice.run("mkfifo commands; /usr/local/bin/reader -i <commands >answers 2>&1 & exec 9>commands")
                try ask(alice)
                try Package.install(on: machine, "/mnt/test/chatelaine.deb")
                try check(machine, alice, identities)
                try ask(alice)
                try alice.run("security add-generic-password -s newer -a alice -w 'of the new version'")
                try machine.root("apt-get install --yes --allow-downgrades /mnt/test/previous.deb", seconds: 600)
                try check(machine, alice, identities)
                try #require(alice.run("security find-generic-password -s newer -w").text == "of the new version")
                try ask(alice)
                try #require(alice.run("exec 9>&-; wait; grep -c 'hunter 3' answers").says("3"))
                try Package.install(on: machine, "/mnt/test/chatelaine.deb")
                try check(machine, alice, identities)
            }
        }

        @Test func `removing the package, purging it and installing it again keeps the keychains`() throws {
            try Installed.scenario { machine in
                let alice = try machine.logIn(.alice)
                try alice.run("security add-generic-password -s mail -a alice -w 'hunter 2'")
                for removal in ["remove", "purge"] {
                    try machine.root("apt-get \(removal) --yes chatelaine", seconds: 300)
                    try machine.root("systemctl --failed --no-legend --plain | { ! grep . ; }")
                    try machine.root("! pgrep chatelaine; test ! -e /run/chatelaine/keychain.sock")
                    try machine.root("test -d /var/lib/chatelaine/users/1000")
                    // Log-ins go on without it.
                    try machine.logIn(.bob, at: 1)
                    try machine.console(1).logOut()
                    try Package.install(on: machine)
                    try #require(alice.run("security find-generic-password -s mail -w").text == "hunter 2")
                }
            }
        }

        @Test func `what the administrator has switched off stays off in an upgrade`() throws {
            try Installed.scenario(at: "fresh") { machine in
                try Package.install(on: machine, "/mnt/test/previous.deb")
                try machine.root("systemctl disable --now chatelaine-prompt.service")
                try Package.install(on: machine, "/mnt/test/chatelaine.deb")
                try machine.root("systemctl is-enabled chatelaine-prompt.service", status: 1)
                try machine.root("systemctl is-active chatelained.socket")
            }
        }

        private func ask(_ alice: Console) throws {
            try alice.run("echo 'find-generic-password -s kept -w' >&9; sleep 6")
        }

        private func fill(_ machine: Machine, _ alice: Console) throws {
            try alice.run("security add-generic-password -s mail -a alice -w 'hunter 2'")
            try alice.run("security add-internet-password -s example.com -a alice -w 'of the net'")
            try alice.run("security create-keypair --enclave 'this machine' && security create-keypair ordinary")
            try alice.run("security create-certificate ordinary")
            try machine.root("chatelaine team new EXAMPLE001 --out /root/team.pem")
            try machine.root("chatelaine team trust /root/team.pem")
        }

        private func check(_ machine: Machine, _ alice: Console, _ identities: String) throws {
            try machine.root("systemctl --failed --no-legend --plain | { ! grep . ; }")
            try #require(alice.run("security find-generic-password -s mail -w").text == "hunter 2")
            try #require(alice.run("security find-internet-password -s example.com -w").text == "of the net")
            try #require(alice.run("security find-identity -v").text == identities)
            try #require(machine.root("chatelaine team list").says("EXAMPLE001"))
        }
    }
}
