import Machine
import Testing

extension Scenarios {
    @Suite(.serialized) struct ConditionsTests {
        @Test func `a full disk refuses what does not fit, and loses nothing`() throws {
            try Installed.scenario { machine in
                let alice = try machine.logIn(.alice)
                try alice.run("security add-generic-password -s mail -a alice -w 'hunter 2'")
                try machine.root(
                    """
                    systemctl stop systemd-journald.socket systemd-journald-dev-log.socket systemd-journald
                    fallocate -l $(($(df --output=avail -k / | tail -1) - 64))K /var/full
                    dd if=/dev/zero of=/var/fuller bs=4k 2>/dev/null
                    sync
                    df -k / | tail -1
                    """
                )
                let refused = try alice.run(
                    "security add-generic-password -s large -a alice -w \"$(head -c 600000 /dev/zero | tr '\\0' x)\"",
                    status: nil
                )
                try #require(refused.status != 0)
                try #require(alice.run("security find-generic-password -s mail -w").text == "hunter 2")
                try machine.root("rm /var/full /var/fuller; systemctl start systemd-journald")
                try alice.run("security add-generic-password -s later -a alice -w fits")
                try #require(alice.run("security find-generic-password -s later -w").text == "fits")
                try alice.run("security find-generic-password -s large -w", status: isNotFound)
            }
        }

        @Test func `a clock that is set back changes nothing, and shortens no waiting`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try alice.run("chatelaine lock")
                for _ in 1...4 { try alice.run("chatelaine unlock --stdin <<<'a guess'", status: nil) }
                try machine.root("date --set '-3 years'")
                try alice.run("chatelaine unlock --stdin <<<'correct horse'", status: 1)
                try machine.root("date --set '+6 years'")
                try alice.run("chatelaine unlock --stdin <<<'correct horse'", status: 1)
                try alice.logOut()
                try machine.root("date --set '-6 years'")
                // Root says at a log-in that it is alice, which counts as no guess.
                try machine.waitUntilGone(.alice)
                try machine.logIn(.alice)
                try #require(alice.readMail() == "hunter 2")
                try alice.run("security add-generic-password -s before -a alice -w 'years ago'")
                try #require(alice.run("security find-generic-password -s before -w").text == "years ago")
            }
        }

        @Test func `an ordinary day leaves no line above notice in the journal, and no secret anywhere`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                for number in 1...5 {
                    let secret = "SECRET-\(number)-of-the-day"
                    try alice.run("security add-generic-password -s day-\(number) -a alice -w '\(secret)'")
                    try alice.run("security find-generic-password -s day-\(number) -w")
                }
                try alice.run("security find-generic-password -s nothing", status: isNotFound)
                try alice.run("security delete-generic-password -s day-1")
                try alice.run("chatelaine lock")
                try alice.run("security find-generic-password -s day-2 -w", status: interactionIsNotAllowed)
                try alice.run("chatelaine unlock --stdin <<<'correct horse'")
                try alice.run("chatelaine status && chatelaine doctor")
                try machine.root("chatelaine audit --system --uid 1000 | grep /usr/bin/security")
                try alice.logOut()
                let above = try machine.root(
                    "journalctl --boot --no-pager --priority warning | grep -i 'chatelain'",
                    status: nil
                )
                try #require(above.text.isEmpty, "\(above.text)")
                try machine.root("journalctl --boot --no-pager | { ! grep 'Failed to set thread priority'; }")
                for secret in ["SECRET-", "hunter 2", "correct horse"] {
                    try machine.root("journalctl --boot --no-pager --all | { ! grep --quiet '\(secret)'; }")
                    try machine.root(
                        """
                        ! grep --recursive --quiet --text '\(secret)' /var/lib/chatelaine /var/lib/chatelaine-enclave \
                            /var/log /run/chatelaine
                        """
                    )
                }
            }
        }

        @Test func `a second command costs no read of its program`() throws {
            try Installed.scenario { machine in
                let alice = try machine.logIn(.alice)
                func number(_ script: String) throws -> Int {
                    try #require(Int(machine.root(script).text.filter(\.isNumber)))
                }
                // All that the service has read so far.
                func read() throws -> Int { try number("grep rchar /proc/$(pidof chatelained)/io") }
                let size = try number("stat --format %s /usr/bin/security")
                try alice.run("security add-generic-password -s mail -a alice -w 'hunter 2'")
                let first = try read()
                try #require(first >= size, "\(first) of \(size) bytes")
                try alice.run("security find-generic-password -s mail -w")
                let second = try read() - first
                try #require(second > 0 && second < size / 100, "\(second) of \(size) bytes")
            }
        }
    }
}
