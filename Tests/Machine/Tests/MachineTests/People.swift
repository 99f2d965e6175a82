import Machine

/// Somebody with an account; scripts/machine-image.sh makes them.
struct Person {
    let name: String
    let password: String

    static let alice = Person(name: "alice", password: "correct horse")
    static let bob = Person(name: "bob", password: "battery staple")
    static let mallory = Person(name: "mallory", password: "let me in")
}

extension Machine {
    /// Somebody logs in at a terminal.
    @discardableResult func logIn(_ person: Person, at console: Int = 0) throws -> Console {
        let console = try self.console(console)
        try console.logIn(person.name, password: person.password)
        return console
    }

    /// Until logind has forgotten somebody: what they left behind ends first.
    func waitUntilGone(_ person: Person) throws {
        try root(
            """
            for i in $(seq 600); do
                loginctl show-user \(person.name) >/dev/null 2>&1 || exit 0
                sleep .1
            done
            exit 1
            """
        )
    }

    /// Alice's first day: she stores a password, logs out, and the next log-in makes her password the passcode.
    func givePasscode(_ person: Person) throws {
        var console = try logIn(person)
        try console.run("security add-generic-password -s mail -a \(person.name) -w 'hunter 2'")
        try console.logOut()
        try waitUntilGone(person)
        console = try logIn(person)
        try console.waitForPasscode()
        try console.run("chatelaine passcode verify --stdin <<<'\(person.password)'")
    }
}

extension Console {
    /// A log-in gives the keychain its passcode when it waits no longer, where all is slow.
    func waitForPasscode() throws {
        try run("for i in $(seq 60); do chatelaine status | grep -q 'passcode  *none' || break; sleep .5; done")
    }

    /// Reads the password that `givePasscode` has stored. A log-in unlocks when it waits no longer, where all is slow.
    func readMail() throws -> String {
        let find = "security find-generic-password -s mail -w 2>/dev/null"
        return try run("for i in $(seq 60); do \(find) && break; sleep .5; done").text
    }
}

/// errSecInteractionNotAllowed, as `security` says it.
let interactionIsNotAllowed: Int32 = 36
/// errSecItemNotFound.
let isNotFound: Int32 = 44
