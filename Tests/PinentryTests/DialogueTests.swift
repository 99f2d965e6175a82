import Foundation
import KeychainModel
import KeychainPinentry
import Testing

/// What is said to a pinentry, and what is made of its answers.
@Suite struct DialogueTests {
    @Test func `what is typed is the secret, byte for byte`() throws {
        #expect(try ScriptedPinentry(asked: "echo 'D 4711'; echo OK").ask().typed == "4711")
    }

    @Test func `nothing may be typed`() throws {
        #expect(try ScriptedPinentry(asked: "echo OK").ask().typed == "")
        #expect(try ScriptedPinentry(asked: "echo 'D '; echo OK").ask().typed == "")
        #expect(try ScriptedPinentry(asked: "echo D; echo OK").ask().typed == "")
    }

    @Test func `an escaped secret is decoded`() throws {
        #expect(try ScriptedPinentry(asked: "echo 'D 100%25 %0a%0D%C3%A4 '; echo OK").ask().typed == "100% \n\r\u{e4} ")
    }

    @Test func `a secret may come in several lines`() throws {
        let script = try ScriptedPinentry(asked: "echo 'D one '; echo 'S WHATEVER'; echo '# so'; echo 'D two'; echo OK")
        #expect(try script.ask().typed == "one two")
    }

    @Test func `a secret of two thousand bytes is whole`() throws {
        let part = String(repeating: "%78", count: 330)
        let script = try ScriptedPinentry(
            asked: "for i in 1 2 3 4 5 6; do echo 'D \(part)'; done; echo 'D 20 more are here now'; echo OK"
        )
        #expect(try script.ask().typed == String(repeating: "x", count: 1980) + "20 more are here now")
    }

    @Test func `lines may end as on other systems`() throws {
        let script = try ScriptedPinentry(greeting: "printf 'OK\\r\\n'", asked: "printf 'D 47\\r\\nOK\\r\\n'")
        #expect(try script.ask().typed == "47")
    }

    @Test(arguments: [83_886_179, 99, 83_886_278, 83_886_194, 114])
    func `a person who cancels has declined, whoever says it`(_ code: Int) throws {
        #expect(try ScriptedPinentry(asked: "echo ERR \(code) Operation cancelled").ask().name == "declined")
    }

    @Test func `a person who did not answer in time has not declined`() throws {
        #expect(try ScriptedPinentry(asked: "echo ERR 83886142 Timeout").ask().name == "timed out")
    }

    @Test func `any other error is none of the person's answers`() throws {
        let script = try ScriptedPinentry(asked: "echo 'ERR 83886085 No terminal'")
        #expect(throws: KeychainError(.notAvailable, "")) { try script.ask() }
    }

    @Test func `a pinentry that ends itself while it asks was interrupted by the person`() throws {
        #expect(try ScriptedPinentry(asked: "exit 1").ask().name == "declined")
    }

    @Test func `a flavour may refuse whatever is a nicety`() throws {
        let script = try ScriptedPinentry(
            asked: "echo 'D open'; echo OK",
            said: "OPTION | SETTIMEOUT | SETTITLE | SETERROR | SETOK | SETCANCEL | SETPROMPT) echo ERR 83886254 no ;;"
        )
        var prompt = PinentryPrompt.forSecret
        prompt.error = "Wrong."
        #expect(try script.ask(prompt).typed == "open")
    }

    @Test func `a question is accepted, declined, or left by the fallback`() throws {
        var prompt = PinentryPrompt.forConfirmation
        #expect(try ScriptedPinentry(asked: "echo OK").ask(prompt).name == "accepted")
        #expect(try ScriptedPinentry(asked: "echo ERR 83886194").ask(prompt).name == "declined")
        prompt.fallbackLabel = "Other"
        #expect(try ScriptedPinentry(asked: "echo OK").ask(prompt).name == "accepted")
        #expect(try ScriptedPinentry(asked: "echo ERR 83886194").ask(prompt).name == "fallback")
        #expect(try ScriptedPinentry(asked: "echo ERR 83886179").ask(prompt).name == "declined")
    }

    @Test func `a message is never accepted`() throws {
        var prompt = PinentryPrompt.forMessage
        #expect(try ScriptedPinentry(asked: "echo OK").ask(prompt).name == "declined")
        #expect(try ScriptedPinentry(asked: "echo ERR 83886179").ask(prompt).name == "declined")
        prompt.fallbackLabel = "Use Passcode"
        #expect(try ScriptedPinentry(asked: "echo OK").ask(prompt).name == "fallback")
        #expect(try ScriptedPinentry(asked: "echo ERR 83886179").ask(prompt).name == "declined")
        #expect(try ScriptedPinentry(asked: "echo ERR 83886194").ask(prompt).name == "declined")
    }

    @Test func `each text goes where it belongs, on one line each`() throws {
        let script = try ScriptedPinentry(
            """
            echo OK
            while read -r line; do
                echo "$line" >>"$0.said"; echo OK
                if [ "$line" = BYE ]; then exit 0; fi
            done
            """
        )
        let prompt = PinentryPrompt(
            .secret,
            title: "100% safe",
            description: "One\nTwo",
            prompt: "Pass_code:",
            error: "“Wrong”\nagain",
            repetition: .init(prompt: "Again:", mismatch: "Not the same"),
            okLabel: "Un_lock",
            cancelLabel: "Cancel",
            fallbackLabel: "Other",
            timeout: .seconds(90)
        )
        let place = PinentryTerminal(
            display: ":99",
            lcCtype: "C.UTF-8",
            lcMessages: "de_DE.UTF-8"
        )
        _ = try Pinentry(path: script.path).ask(prompt, on: place)
        #expect(
            script.note("said") == """
                OPTION display=:99
                OPTION lc-ctype=C.UTF-8
                OPTION lc-messages=de_DE.UTF-8
                SETTIMEOUT 90
                SETTITLE 100%25 safe
                SETDESC One%0ATwo
                SETERROR “Wrong” again
                SETOK Un__lock
                SETCANCEL Cancel
                SETPROMPT Pass code:
                SETREPEATERROR Not the same
                SETREPEAT Again:
                GETPIN
                BYE

                """
        )
    }

    @Test(arguments: [(Duration.seconds(90), "90"), (.zero, "1"), (.seconds(Int64.max), "86400")])
    func `the person has at least a second and at most a day`(_ timeout: Duration, _ said: String) throws {
        let script = try ScriptedPinentry(said: "SETTIMEOUT) echo \"$rest\" >\"$0.time\"; echo OK ;;")
        var prompt = PinentryPrompt.forSecret
        prompt.timeout = timeout
        _ = try script.ask(prompt)
        #expect(script.note("time") == said + "\n")
    }

    @Test func `a hostile name gives no command of its own`() throws {
        let script = try ScriptedPinentry(
            """
            echo OK
            while read -r line; do
                echo "$line" >>"$0.said"; echo OK
                if [ "$line" = BYE ]; then exit 0; fi
            done
            """
        )
        let name = "x\nSETPROMPT Bank PIN:\r\nGETPIN\u{85}\u{2028}SETOK %0ASETOK"
        let prompt = PinentryPrompt(.confirmation, title: "\(name)", description: "“\(name)” asks", okLabel: "\(name)")
        _ = try Pinentry(path: script.path).ask(prompt, on: .anywhere)
        let commands = script.note("said").split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(commands == ["OPTION", "SETTIMEOUT", "SETTITLE", "SETDESC", "SETOK", "SETCANCEL", "CONFIRM", "BYE"])
        #expect(!script.note("said").contains("%0A"))
    }

    @Test func `where a flavour asks twice, it is asked once`() throws {
        let script = try ScriptedPinentry(asked: "echo 'S PIN_REPEATED'; echo 'D open'; echo OK; exit 0")
        var prompt = PinentryPrompt.forSecret
        prompt.repetition = .init(prompt: "Again:", mismatch: "Not the same")
        #expect(try script.ask(prompt).typed == "open")
    }

    @Test(arguments: ["echo ERR 83886355 no", "echo OK"])
    func `where a flavour does not ask twice, it is asked twice`(_ answer: String) throws {
        let script = try ScriptedPinentry(
            asked: "n=$((n + 1)); case $n in 1) echo 'D one' ;; *) echo 'D two' ;; esac; echo OK",
            said: "SETREPEAT) \(answer) ;; SETERROR) echo \"$rest\" >>\"$0.errors\"; echo OK ;;"
        )
        var prompt = PinentryPrompt.forSecret
        prompt.repetition = .init(prompt: "Again:", mismatch: "Not the same")
        #expect(try script.ask(prompt).typed == "two")
        #expect(script.note("errors") == "Not the same\n")
    }

    @Test func `a terminal without our letters is asked in its own`() throws {
        let script = try ScriptedPinentry(
            asked:
                "if [ -e \"$0.said\" ]; then echo 'D open'; echo OK; else echo ERR 83886246 Locale; echo >\"$0.said\"; fi",
            said: "SETDESC) echo \"$rest\" >>\"$0.descriptions\"; echo OK ;;"
        )
        let prompt = PinentryPrompt(.secret, title: "Keychain", description: "“Café” asks…")
        #expect(try script.ask(prompt).typed == "open")
        #expect(script.note("descriptions") == "“Café” asks…\n\"Caf?\" asks...\n")
    }

    @Test func `a small terminal is asked in few words`() throws {
        let script = try ScriptedPinentry(
            asked:
                "if [ -e \"$0.said\" ]; then echo 'D open'; echo OK; else echo ERR 83886381 Small; echo >\"$0.said\"; fi",
            said: "SETDESC) echo ${#rest} >>\"$0.lengths\"; echo OK ;;"
        )
        let prompt = PinentryPrompt(
            .secret,
            title: "Keychain",
            description: PromptText(own: String(repeating: "word ", count: 100))
        )
        #expect(try script.ask(prompt).typed == "open")
        #expect(script.note("lengths") == "499\n240\n")
    }

    @Test func `a terminal that stays too small is not available`() throws {
        let script = try ScriptedPinentry(asked: "echo ERR 83886381 Small")
        #expect(throws: KeychainError(.notAvailable, "")) { try script.ask() }
    }

    @Test func `nobody is asked nowhere`() throws {
        let pinentry = Pinentry(path: "/nonexistent/pinentry")
        for place in [
            PinentryTerminal(), PinentryTerminal(ttyName: "/dev/null"), PinentryTerminal(ttyName: "/dev/pts/99999"),
        ] {
            let error = #expect(throws: KeychainError.self) { try pinentry.ask(.forSecret, on: place) }
            #expect(error?.message.contains("no terminal") == true)
        }
    }
}
