import Foundation
import Machine
import Testing

/// The most important things on one machine, for those who cannot wait for all scenarios.
struct ShortStory {
    @Test func `a machine is set up, restarted, attacked and loses its power, and the keychain is whole`() throws {
        let machine = try Machine(Installed.image.get(), name: "short-story", disk: .losing)
        defer { machine.cutPower() }
        try Installed.observe(machine) { machine in
            try machine.start()
            try Package.install(on: machine)
            try machine.root("systemctl --failed --no-legend --plain | { ! grep . ; }")

            // Somebody logs in, stores, and the next log-in gives the keychain its passcode.
            try machine.givePasscode(.alice)
            var alice = try machine.console(0)
            try #require(alice.run("security find-generic-password -s mail -w").text == "hunter 2")
            try alice.run("loginctl lock-session")
            try machine.waitUntilLocked(.alice)

            // The TPM has the device key, and the passcode opens the rest after a restart.
            try machine.restart()
            try machine.run(as: "alice", "security find-generic-password -s mail -w", status: interactionIsNotAllowed)
            alice = try machine.logIn(.alice)
            try #require(alice.readMail() == "hunter 2")
            try #require(alice.run("chatelaine doctor", status: nil).says("bound to the TPM"))
            try machine.run(as: "bob", "security find-generic-password -s mail -w", status: isNotFound)

            // An installed program, and what its user's other programs get of its secret.
            let attacks = try Attacks(on: machine)
            for (sentence, name, environment) in Attacks.all.prefix(10) {
                let output = try attacks.attack(name, environment: environment)
                try #require(!output.says(Attacks.secret), "\(sentence)")
            }
            try #require(attacks.run("/usr/local/bin/victim get").says(Attacks.secret))

            // The plug is pulled while items are added.
            let writer = Writer()
            let cutting = Thread {
                let end = Date.now + 120
                while writer.names.count < 5, Date.now < end { usleep(10_000) }
                usleep(UInt32.random(in: 0..<1_000_000))
                machine.cutPower()
            }
            cutting.start()
            writer.run(on: machine, 100)
            try #require(writer.names.count >= 5, "\(writer.names.count) items were added")
            try machine.start()
            alice = try machine.logIn(.alice)
            try #require(writer.lost(on: machine).isEmpty)
            try #require(alice.run("security find-generic-password -s mail -w").text == "hunter 2")
            try #require(attacks.run("/usr/local/bin/victim get").says(Attacks.secret))
            try machine.requireNoFailedUnit()
        }
    }
}
