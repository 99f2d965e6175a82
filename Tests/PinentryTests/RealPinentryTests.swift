import Foundation
import Glibc
import KeychainModel
import KeychainPinentry
import Synchronization
import Testing

/// GnuPG's own pinentries, with a person at a terminal.
@Suite struct RealPinentryTests {
    enum Flavour: String, CaseIterable {
        case tty
        case curses

        var path: String { "/usr/bin/pinentry-\(rawValue)" }
        /// What ends a field.
        var enter: String { self == .tty ? "\n" : "\r" }
        /// What is on the screen when the field can be typed into.
        var field: String { self == .tty ? "Passcode: " : "Passcode: _" }
        /// Cancels: the end of input, and a key of pinentry-curses'.
        var cancel: String { self == .tty ? "\u{4}" : "\u{5}" }
    }

    private let prompt = PinentryPrompt(
        .secret,
        title: "Keychain",
        description: "The program “\("Mail")” asks.\nSecond line"
    )

    private func ask(_ flavour: Flavour, _ prompt: PinentryPrompt, on terminal: PseudoTerminal) -> (Pinentry, Asking) {
        let pinentry = Pinentry(path: flavour.path, replyWithin: .seconds(20), endWithin: .seconds(20))
        let place = terminal.place
        return (pinentry, Asking { try pinentry.ask(prompt, on: place) })
    }

    @Test(arguments: Flavour.allCases)
    func `a secret is typed without being shown`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let before = terminal.attributes
        let (_, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: "The program “Mail” asks.")
        try terminal.wait(for: "Second line")
        try terminal.wait(for: flavour.field)
        terminal.type("s3cret_100%" + flavour.enter)
        #expect(try asking.answer().typed == "s3cret_100%")
        #expect(!terminal.drain().contains("s3cret"))
        #expect(terminal.attributes == before)
    }

    @Test(arguments: Flavour.allCases)
    func `a secret has any letters`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let (_, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        terminal.type("pässwörd €" + flavour.enter)
        #expect(try asking.answer().typed == "pässwörd €")
    }

    @Test(arguments: Flavour.allCases)
    func `nothing is typed`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let (_, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        terminal.type(flavour.enter)
        #expect(try asking.answer().typed == "")
    }

    @Test(arguments: Flavour.allCases)
    func `a key cancels`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let before = terminal.attributes
        let (_, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        terminal.type(flavour.cancel)
        #expect(try asking.answer().name == "declined")
        #expect(terminal.attributes == before)
    }

    @Test func `the button cancels`() throws {
        let terminal = try PseudoTerminal()
        let (_, asking) = ask(.curses, prompt, on: terminal)
        try terminal.wait(for: Flavour.curses.field)
        terminal.type("\t\t\r")
        #expect(try asking.answer().name == "declined")
    }

    @Test(arguments: Flavour.allCases)
    func `an interrupt declines and leaves the terminal in order`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let before = terminal.attributes
        let (_, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        #expect(terminal.attributes != before)
        terminal.type("half")
        let process = try terminal.pinentry()
        // What the terminal does at Ctrl-C, had it a session. pinentry-tty misses a signal that comes before it reads.
        #expect(try asking.answer(nudge: { kill(process, SIGINT) }).name == "declined")
        #expect(terminal.attributes == before)
    }

    @Test(arguments: Flavour.allCases)
    func `after a wrong secret the person sees why it is asked again`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let (pinentry, first) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        terminal.type("wrong" + flavour.enter)
        #expect(try first.answer().typed == "wrong")
        var prompt = prompt
        prompt.error = "That was not the passcode."
        let (again, place) = (prompt, terminal.place)
        let second = Asking { try pinentry.ask(again, on: place) }
        try terminal.wait(for: "That was not the passcode.")
        try terminal.wait(for: flavour.field)
        terminal.type("right" + flavour.enter)
        #expect(try second.answer().typed == "right")
    }

    @Test(arguments: Flavour.allCases)
    func `a new secret is typed twice, and until both are the same`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        var prompt = prompt
        prompt.repetition = .init(prompt: "Again:", mismatch: "These were not the same.")
        let (_, asking) = ask(flavour, prompt, on: terminal)
        switch flavour {
        case .tty:
            for (first, second) in [("one", "two"), ("three", "three")] {
                try terminal.wait(for: "Passcode: ")
                terminal.type(first + "\n")
                try terminal.wait(for: "Again: ")
                terminal.type(second + "\n")
                if first != second { try terminal.wait(for: "These were not the same.") }
            }
        case .curses:
            if try terminal.wait(for: "<Cancel>").contains("Again: ") {
                terminal.type("three\tthrice")
                try terminal.wait(for: "These were not the same.")
                // Enter is of no use now; ^U empties the field.
                terminal.type("\r\u{15}three\r")
            } else {
                // It has one field, and is asked once more.
                terminal.type("one\r")
                try terminal.wait(for: "Again: _")
                terminal.type("two\r")
                try terminal.wait(for: "These were not the same.")
                try terminal.wait(for: "Passcode: _")
                terminal.type("three\r")
                try terminal.wait(for: "Again: _")
                terminal.type("three\r")
            }
        }
        #expect(try asking.answer().typed == "three")
    }

    @Test(arguments: Flavour.allCases)
    func `a question that is withdrawn leaves the terminal in order, and nothing typed for others`(
        _ flavour: Flavour
    ) throws {
        let terminal = try PseudoTerminal()
        let before = terminal.attributes
        let (pinentry, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        #expect(terminal.attributes != before)
        terminal.type("half a sec")
        pinentry.cancel()
        #expect(try asking.answer().name == "withdrawn")
        #expect(terminal.attributes == before)
        #expect(terminal.unread == "")
        // pinentry-curses had another screen, and leaves it.
        #expect(flavour == .tty || terminal.drain().contains("\u{1b}[?1049l"))
    }

    @Test(arguments: Flavour.allCases)
    func `a pinentry that is killed leaves the terminal in order, and nothing typed for others`(
        _ flavour: Flavour
    ) throws {
        let terminal = try PseudoTerminal()
        let before = terminal.attributes
        let (_, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        terminal.type("half a sec")
        kill(try terminal.pinentry(), SIGKILL)
        #expect(throws: KeychainError(.notAvailable, "")) { try asking.answer() }
        #expect(terminal.attributes == before)
        #expect(terminal.unread == "")
    }

    /// How often the test's signal has come.
    private static let signals = Atomic(0)

    @Test(arguments: Flavour.allCases)
    func `a signal that ends this process comes when the terminal is in order`(_ flavour: Flavour) throws {
        // Nobody else here uses this one.
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in RealPinentryTests.signals.add(1, ordering: .relaxed) }
        sigaction(SIGQUIT, &action, nil)
        let terminal = try PseudoTerminal()
        let before = terminal.attributes
        let thread = Mutex<pthread_t?>(nil)
        let (prompt, place, count) = (prompt, terminal.place, Self.signals.load(ordering: .relaxed))
        let asking = Asking {
            thread.withLock { $0 = pthread_self() }
            var quit = sigset_t()
            sigemptyset(&quit)
            sigaddset(&quit, SIGQUIT)
            pthread_sigmask(SIG_UNBLOCK, &quit, nil)
            return try Pinentry(path: flavour.path, endWithin: .seconds(20)).ask(prompt, on: place)
        }
        try terminal.wait(for: flavour.field)
        pthread_kill(try #require(thread.withLock { $0 }), SIGQUIT)
        #expect(try asking.answer().name == "declined")
        #expect(terminal.attributes == before)
        #expect(Self.signals.load(ordering: .relaxed) > count)
    }

    @Test(arguments: Flavour.allCases)
    func `a person who closes the terminal has declined`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let (_, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        let pid = try terminal.pinentry()
        terminal.hangUp()
        #expect(try asking.answer().name == "declined")
        #expect(kill(pid, 0) != 0 && errno == ESRCH)
    }

    @Test(arguments: Flavour.allCases)
    func `a person who types too slowly runs out of time`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let before = terminal.attributes
        var prompt = prompt
        prompt.timeout = .seconds(1)
        let (_, asking) = ask(flavour, prompt, on: terminal)
        try terminal.wait(for: flavour.field)
        // pinentry-curses has no limit any more for somebody who has begun.
        terminal.type("h")
        #expect(try asking.answer().name == "timed out")
        #expect(terminal.attributes == before)
        #expect(terminal.unread == "")
    }

    @Test(arguments: Flavour.allCases)
    func `a message is closed by the person`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let message = PinentryPrompt(.message, title: "Keychain", description: "Touch the fingerprint reader.")
        let (_, asking) = ask(flavour, message, on: terminal)
        try terminal.wait(for: "Touch the fingerprint reader.")
        try terminal.wait(for: flavour == .tty ? "continue." : "<Cancel>")
        terminal.type(flavour == .tty ? "c" : "\r")
        #expect(try asking.answer().name == "declined")
    }

    @Test(arguments: Flavour.allCases)
    func `a message goes when the finger has come`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        let before = terminal.attributes
        let message = PinentryPrompt(.message, title: "Keychain", description: "Touch the fingerprint reader.")
        let (pinentry, asking) = ask(flavour, message, on: terminal)
        try terminal.wait(for: "Touch the fingerprint reader.")
        pinentry.cancel()
        #expect(try asking.answer().name == "withdrawn")
        #expect(terminal.attributes == before)
    }

    @Test(arguments: Flavour.allCases)
    func `a message is left for another way`(_ flavour: Flavour) throws {
        let terminal = try PseudoTerminal()
        var message = PinentryPrompt(.message, title: "Keychain", description: "Touch the fingerprint reader.")
        message.fallbackLabel = "Enter Passcode"
        let (_, asking) = ask(flavour, message, on: terminal)
        try terminal.wait(for: flavour == .tty ? "]? " : "<Cancel>")
        terminal.type(flavour == .tty ? "e" : "\r")
        #expect(try asking.answer().name == "fallback")
    }

    @Test(arguments: Flavour.allCases, ["accepted", "declined", "fallback"])
    func `a question is answered by its buttons`(_ flavour: Flavour, _ answer: String) throws {
        let terminal = try PseudoTerminal()
        let question = PinentryPrompt(
            .confirmation,
            title: "Keychain",
            description: "May it?",
            okLabel: "Allow_it",
            fallbackLabel: "Other"
        )
        let (_, asking) = ask(flavour, question, on: terminal)
        try terminal.wait(for: flavour == .tty ? "[aco]? " : "<Cancel>")
        let keys = ["accepted": ("a", "\r"), "declined": ("c", "\t\t\r"), "fallback": ("o", "\t\r")]
        let key = try #require(keys[answer])
        terminal.type(flavour == .tty ? key.0 : key.1)
        #expect(try asking.answer().name == answer)
    }

    @Test func `hostile text leaves room for our words on a small terminal`() throws {
        let terminal = try PseudoTerminal(rows: 13, columns: 50)
        let reason = String(repeating: "Words \u{300}", count: 10_000)
        let description: PromptText = "The program “\(reason)” asks:\n“\(reason, limit: .sentence)”\nOur last words."
        let (_, asking) = ask(.curses, PinentryPrompt(.secret, title: "", description: description), on: terminal)
        try terminal.wait(for: "Our last words.")
        try terminal.wait(for: Flavour.curses.field)
        terminal.type("ok\r")
        #expect(try asking.answer().typed == "ok")
    }

    @Test(arguments: ["C", "xx_YY", nil]) func `a terminal without our letters is asked`(_ locale: String?) throws {
        let terminal = try PseudoTerminal()
        let place = PinentryTerminal(ttyName: terminal.name, ttyType: "xterm", lcCtype: locale)
        let prompt = prompt
        let asking = Asking { try Pinentry(path: Flavour.curses.path).ask(prompt, on: place) }
        try terminal.wait(for: Flavour.curses.field)
        terminal.type("ok\r")
        #expect(try asking.answer().typed == "ok")
    }

    @Test func `a terminal of no known kind is not available`() throws {
        let terminal = try PseudoTerminal()
        let place = PinentryTerminal(ttyName: terminal.name, ttyType: "no-such-terminal", lcCtype: "C.UTF-8")
        #expect(throws: KeychainError(.notAvailable, "")) {
            try Pinentry(path: Flavour.curses.path).ask(prompt, on: place)
        }
    }
}
