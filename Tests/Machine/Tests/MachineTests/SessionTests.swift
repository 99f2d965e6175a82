import Machine
import Testing

extension Scenarios {
    @Suite(.serialized) struct SessionTests {
        @Test func `without the system's service a session's own one keeps items, and the log-in unlocks it`() throws {
            try Installed.scenario { machine in
                try machine.root(
                    """
                    systemctl disable --now chatelained.socket chatelaine-identify.socket chatelaine-enclave.socket \\
                        chatelaine-enclave-service.socket chatelaine-prompt.service
                    systemctl stop chatelained.service chatelaine-identify.service chatelaine-enclave.service
                    """
                )
                let alice = try machine.logIn(.alice)
                try alice.run("systemctl --user enable --now chatelained.socket chatelained-control.socket")
                let doctor = try alice.run("chatelaine doctor", status: nil)
                try #require(doctor.says("/run/user/1000/chatelaine/keychain.sock"))
                try alice.run("security add-generic-password -s mail -a alice -w 'hunter 2'")
                try alice.run("systemctl --user is-active chatelained.service")
                try alice.run("printf 'correct horse\\ncorrect horse\\n' | chatelaine passcode set --stdin")
                try alice.run("chatelaine lock")
                try alice.run("security find-generic-password -s mail -w", status: interactionIsNotAllowed)
                try alice.logOut()
                try machine.waitUntilGone(.alice)
                try machine.logIn(.alice)
                try #require(alice.readMail() == "hunter 2")
                // The confinement that a user's own manager can give.
                try alice.run("systemctl --user --failed --no-legend | { ! grep . ; }")
                // Another person's service is out of reach.
                try machine.run(as: "bob", "ls /run/user/1000", status: 2)
            }
        }
    }
}
