import Machine
import Testing

extension Scenarios {
    @Suite(.serialized) struct TPMTests {
        @Test func `the keychain is bound to the TPM, and opens after a restart with the passcode alone`() throws {
            try Installed.scenario { machine in
                try machine.root("test -c /dev/tpmrm0")
                try machine.givePasscode(.alice)
                var alice = try machine.console(0)
                try #require(alice.run("chatelaine doctor", status: nil).says("bound to the TPM"))
                try alice.run("security add-generic-password -s background -a alice -w 'of the daemon'")
                try machine.restart()
                // Before anybody has logged in nothing opens.
                try machine.run(
                    as: "alice",
                    "security find-generic-password -s mail -w",
                    status: interactionIsNotAllowed
                )
                alice = try machine.logIn(.alice)
                try #require(alice.readMail() == "hunter 2")
                try #require(alice.run("chatelaine doctor", status: nil).says("bound to the TPM"))
            }
        }

        @Test func `a copied disk in a machine with another TPM is refused, with words that say so`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                try machine.shutDown()
                let thief = try Machine(machine.image, name: "thief", copying: machine)
                defer { thief.cutPower() }
                try thief.start()
                let alice = try thief.logIn(.alice)
                let found = try alice.run("security find-generic-password -s mail -w", status: nil)
                try #require(found.status != 0 && !found.says("hunter"))
                try #require(found.says("made with another TPM"), "\(found.text)")
                // Nothing was made in its place, and the rightful machine opens it.
                try machine.start()
                let owner = try machine.logIn(.alice)
                try #require(owner.readMail() == "hunter 2")
            }
        }

        @Test func `wrong passcodes wait longer and longer, do not lock the TPM, and a restart does not help`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try alice.run("chatelaine lock")
                for _ in 1...3 {
                    try alice.run("chatelaine unlock --stdin <<<'a guess'", status: nil)
                }
                // One that counts, as soon as it may be given: then the wait is longer than a start of this machine.
                let guess = "chatelaine unlock --stdin <<<'a guess' 2>&1 | grep 'can be given in'"
                try machine.run(as: "alice", "while \(guess); do sleep 2; done", seconds: 300)
                let refused = try alice.run("chatelaine unlock --stdin <<<'correct horse'", status: nil)
                try #require(refused.status != 0, "a right passcode straight after wrong ones: \(refused.text)")
                let properties = try machine.root("tpm2_getcap properties-variable").text
                try #require(properties.contains(/inLockout: +0/), "\(properties)")
                try machine.restart()
                try machine.run(as: "alice", "chatelaine unlock --stdin <<<'correct horse'", status: 1)
                try machine.run(
                    as: "alice",
                    "security find-generic-password -s mail -w",
                    status: interactionIsNotAllowed
                )
            }
        }
    }
}
