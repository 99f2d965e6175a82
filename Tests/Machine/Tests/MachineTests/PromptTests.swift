import Machine
import Testing

extension Scenarios {
    @Suite(.serialized) struct PromptTests {
        @Test func `polkit asks on the terminal before somebody sets a first passcode`() throws {
            try Installed.scenario { machine in
                let alice = try machine.logIn(.alice)
                try alice.run("security add-generic-password -s mail -a alice -w 'hunter 2'")
                func set(authenticatedBy password: String) throws {
                    try alice.type("chatelaine passcode set\n")
                    try alice.expect("new passcode:")
                    try alice.type("a passcode\n")
                    try alice.expect("again:")
                    try alice.type("a passcode\n")
                    try alice.expect("Password: ")
                    try alice.type(password + "\n")
                }
                // A wrong password, and nothing is changed.
                try set(authenticatedBy: "battery staple")
                try alice.expect("nothing was done")
                try alice.run("chatelaine status | grep 'passcode  *none'")
                try set(authenticatedBy: "correct horse")
                let isSet = "runuser -u alice -- chatelaine status | grep 'passcode  *set'"
                try machine.root("until \(isSet); do sleep 1; done; sleep 5", seconds: 300)
                try alice.run("chatelaine passcode verify --stdin <<<'a passcode'")
            }
        }

        /// As the page on presence says; with a pinentry for plain terminals.
        private func startAgent(on machine: Machine, _ alice: Console) throws {
            try machine.root("update-alternatives --set pinentry /usr/bin/pinentry-tty")
            try alice.run("export GPG_TTY=$(tty) LD_LIBRARY_PATH=/mnt/test/lib")
            try alice.run("systemctl --user start chatelaine-agent && sleep 5")
        }

        @Test func `the owner is asked for the passcode where a program reads a guarded item`() throws {
            try Installed.scenario { machine in
                try machine.givePasscode(.alice)
                let alice = try machine.console(0)
                try startAgent(on: machine, alice)
                try alice.run("/mnt/test/guarded write 'Buy tea'")
                try alice.type("/mnt/test/guarded read\n")
                try alice.expect("passcode", seconds: 120)
                try alice.type("correct horse\n")
                try alice.expect("note: Buy tea", seconds: 120)
                // Nobody to ask: at once, and nothing.
                let alone = "pkill --full '[c]hatelaine agent'; LD_LIBRARY_PATH=/mnt/test/lib /mnt/test/guarded read"
                try #require(machine.run(as: "alice", alone, status: 1).says("status -25308"))
            }
        }

        @Test func `a finger opens an item, another finger does not, and a newly enrolled one ends it`() throws {
            try Installed.scenario { machine in
                try Finger.prepareReader(on: machine)
                try Finger.enrol("right-index-finger", as: "the owner's", on: machine)
                let alice = try machine.logIn(.alice)
                try startAgent(on: machine, alice)
                try alice.run("/mnt/test/guarded finger 'Buy tea'")
                try alice.type("/mnt/test/guarded read\n")
                try Finger.put("somebody's", on: machine)
                try Finger.put("the owner's", on: machine)
                try alice.expect("note: Buy tea", seconds: 120)
                try Finger.enrol("left-index-finger", as: "another", on: machine)
                try #require(alice.run("/mnt/test/guarded read", status: 1).says("status -25300"))
            }
        }
    }
}

/// libfprint's virtual reader, for fprintd of the machine.
private enum Finger {
    private static let socket = "/run/virtual-reader/socket"

    static func prepareReader(on machine: Machine) throws {
        try machine.root(
            """
            set -e
            mkdir -p /etc/systemd/system/fprintd.service.d
            cat >/etc/systemd/system/fprintd.service.d/virtual.conf <<'END'
            [Service]
            ExecStart=
            ExecStart=/usr/libexec/fprintd -t
            RuntimeDirectory=virtual-reader
            Environment=FP_VIRTUAL_DEVICE=\(socket)
            Environment=FP_DRIVERS_WHITELIST=virtual_device FP_DRIVERS_ALLOWLIST=virtual_device
            END
            systemctl daemon-reload
            systemctl restart fprintd
            # Its socket is there while somebody has the reader.
            fprintd-list alice
            """
        )
    }

    static func enrol(_ finger: String, as name: String, on machine: Machine) throws {
        try machine.root(
            """
            fprintd-enroll -f \(finger) alice >/tmp/enrol.log 2>&1 &
            enrolling=$!
            for i in $(seq 60); do
                kill -0 $enrolling 2>/dev/null || break
                python3 /mnt/test/virtual-finger.py scan \(socket) "\(name)" || true
                sleep .3
            done
            wait $enrolling
            status=$?
            cat /tmp/enrol.log
            exit $status
            """
        )
    }

    /// Once a finger is waited for.
    static func put(_ name: String, on machine: Machine) throws {
        try machine.root("sleep 4; python3 /mnt/test/virtual-finger.py scan \(socket) \"\(name)\"")
    }
}
