import Machine
import Testing

extension Scenarios {
    @Suite(.serialized) struct LogInTests {
        @Test func `somebody who logs in at the console stores a password, reads it and lists it`() throws {
            try Installed.scenario { machine in
                let alice = try machine.logIn(.alice)
                try alice.run("security add-generic-password -s mail -a alice -w 'hunter 2'")
                try #require(alice.run("security find-generic-password -s mail -w").text == "hunter 2")
                try #require(alice.run("security dump-keychain").says("\"mail\""))
                try alice.run("security add-generic-password -s mail -a alice -w other", status: 45)
                try alice.run("security find-generic-password -s nothing", status: isNotFound)
                try alice.logOut()
            }
        }

        @Test func `the log-in password becomes the first passcode, and the next log-in unlocks with it`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try alice.run("chatelaine passcode verify --stdin <<<'correct horse'")
                try alice.run("chatelaine passcode verify --stdin <<<'battery staple'", status: 1)
                try alice.run("chatelaine lock")
                try alice.run("security find-generic-password -s mail -w", status: interactionIsNotAllowed)
                try alice.logOut()
                try machine.waitUntilGone(.alice)
                try machine.logIn(.alice)
                try #require(alice.readMail() == "hunter 2")
            }
        }

        @Test func `nobody else's password unlocks, and a log-in that fails changes nothing`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try alice.run("chatelaine lock")
                try machine.console(1).failToLogIn("alice", password: "battery staple")
                try alice.run("security find-generic-password -s mail -w", status: interactionIsNotAllowed)
                try machine.logIn(.bob, at: 1)
                try alice.run("security find-generic-password -s mail -w", status: interactionIsNotAllowed)
            }
        }

        @Test func `a locked screen locks the keychain, and so does the end of the last session`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try #require(alice.run("security find-generic-password -s mail -w").text == "hunter 2")
                try alice.run("loginctl lock-session")
                try machine.waitUntilLocked(.alice)
                try alice.run("security find-generic-password -s mail -w", status: interactionIsNotAllowed)
                try alice.run("chatelaine unlock --stdin <<<'correct horse'")
                try alice.run("security find-generic-password -s mail -w")
                try alice.logOut()
                try machine.waitUntilLocked(.alice)
            }
        }

        @Test func `the machine's sleep locks the keychain before it begins`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try alice.run("security find-generic-password -s mail -w")
                try machine.sleepAndWake()
                try alice.run("security find-generic-password -s mail -w", status: interactionIsNotAllowed)
            }
        }

        @Test func `a new log-in password becomes the passcode, if the old one was it`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try alice.type("passwd\n")
                try alice.expect("Current password: ")
                try alice.type("correct horse\n")
                try alice.expect("New password: ")
                try alice.type("a stable genius\n")
                try alice.expect("Retype new password: ")
                try alice.type("a stable genius\n")
                try alice.expect("updated successfully")
                try alice.run("chatelaine passcode verify --stdin <<<'a stable genius'")
                try alice.run("chatelaine lock")
                try alice.logOut()
                try machine.waitUntilGone(.alice)
                try alice.logIn("alice", password: "a stable genius")
                try #require(alice.readMail() == "hunter 2")
            }
        }

        @Test func `two people are logged in, and neither sees what the other has`() throws {
            try Installed.scenario { machine in
                let alice = try machine.logIn(.alice, at: 0)
                let bob = try machine.logIn(.bob, at: 1)
                try alice.run("security add-generic-password -s mail -a alice -w 'hunter 2'")
                try bob.run("security find-generic-password -s mail -w", status: isNotFound)
                try bob.run("security add-generic-password -s mail -a bob -w 'of bob'")
                try #require(alice.run("security find-generic-password -s mail -w").text == "hunter 2")
                try #require(bob.run("security find-generic-password -s mail -w").text == "of bob")
                try #require(!bob.run("security dump-keychain").says("alice"))
                try bob.run("ls /var/lib/chatelaine", status: 2)
                try bob.run("ls /var/lib/chatelaine-enclave", status: 2)
                try bob.run("chatelaine unlock --stdin --uid $(id -u alice) <<<'correct horse'", status: 1)
            }
        }
    }
}

extension Machine {
    /// Until no program of theirs can read what demands an unlocked keychain.
    func waitUntilLocked(_ person: Person) throws {
        try root(
            """
            for i in $(seq 300); do
                runuser -u \(person.name) -- security find-generic-password -s mail -w >/dev/null 2>&1
                [ $? = \(interactionIsNotAllowed) ] && exit 0
                sleep .1
            done
            exit 1
            """
        )
    }
}
