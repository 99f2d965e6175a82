import CKeychainLinux
import Foundation
import Glibc
import KeychainModel
import KeychainPinentry
import KeychainTestSupport
import Synchronization
import Testing

/// Programs that are no pinentries, or are broken, or are killed.
@Suite struct HostilePinentryTests {
    /// What each of them comes to: nobody could be asked, and nothing is left of the process.
    private func isNotAvailable(
        _ script: ScriptedPinentry,
        _ prompt: PinentryPrompt = .forSecret,
        replyWithin: Duration = .seconds(20),
        endWithin: Duration = .seconds(20)
    ) {
        #expect(throws: KeychainError(.notAvailable, "")) {
            try script.ask(prompt, replyWithin: replyWithin, endWithin: endWithin)
        }
        #expect(script.isGone)
    }

    @Test func `a program that is not there is not available`() throws {
        #expect(throws: KeychainError(.notAvailable, "")) {
            try Pinentry(path: "/nonexistent/pinentry").ask(.forSecret, on: .anywhere)
        }
    }

    @Test func `a program that may not be executed is not available`() throws {
        #expect(throws: KeychainError(.notAvailable, "")) {
            try Pinentry(path: "/etc/passwd").ask(.forSecret, on: .anywhere)
        }
    }

    @Test func `one that writes nothing is given up`() throws {
        isNotAvailable(try ScriptedPinentry("exec sleep 600"), replyWithin: .milliseconds(200))
    }

    @Test func `one that never answers a command is given up`() throws {
        isNotAvailable(try ScriptedPinentry(said: "SETDESC) ;;"), replyWithin: .milliseconds(200))
    }

    @Test func `one that ends at once is not waited for`() throws {
        isNotAvailable(try ScriptedPinentry("exit 0"))
        isNotAvailable(try ScriptedPinentry("exit 1"))
    }

    @Test func `one that ends while its child holds its output is not waited for`() throws {
        isNotAvailable(try ScriptedPinentry(asked: "sleep 30 & kill -KILL $$"))
    }

    @Test func `one that floods with lines is stopped`() throws {
        isNotAvailable(try ScriptedPinentry("while :; do echo '# and on and on'; done"))
        isNotAvailable(try ScriptedPinentry(asked: "while :; do echo 'S AND_ON and on'; done"))
    }

    @Test func `one that floods with one endless line is stopped`() throws {
        isNotAvailable(try ScriptedPinentry("exec tr '\\0' x </dev/zero"))
        isNotAvailable(try ScriptedPinentry(asked: "printf 'D '; exec tr '\\0' x </dev/zero"))
    }

    @Test func `one that sends more than a secret can be is stopped`() throws {
        let line = "D " + String(repeating: "x", count: 990)
        isNotAvailable(try ScriptedPinentry(asked: "for i in 1 2 3 4 5 6 7 8 9; do echo '\(line)'; done; echo OK"))
    }

    @Test func `a line of more than a thousand bytes is no line of Assuan's`() throws {
        let line = "# " + String(repeating: "x", count: 998)
        isNotAvailable(try ScriptedPinentry(greeting: "echo '\(line)'; echo OK"))
    }

    @Test(arguments: [
        "echo 'Usage: pinentry'", "echo", "echo OKAY", "echo ERR", "echo ERR many", "echo ERR 99999999999",
        "echo ERR 99x",
        "echo INQUIRE PASSPHRASE", "head -c 100 /dev/urandom; echo", "printf '\\377\\376OK\\n'", "printf 'OK\\0\\n'",
        "printf '\\0\\0\\0\\0\\n'", "echo ok", "echo ' OK'",
    ])
    func `garbage is not taken for a greeting`(_ garbage: String) throws {
        isNotAvailable(try ScriptedPinentry(greeting: garbage))
    }

    @Test(arguments: [
        "echo SECRET; echo OK", "echo 'D %'; echo OK", "echo 'D a%4'; echo OK", "echo 'D %zz'; echo OK",
        "printf 'D a\\0b\\n'; echo OK", "echo Dabc; echo OK", "echo 'ERR 83886179x'",
    ])
    func `garbage is not taken for an answer`(_ garbage: String) throws {
        isNotAvailable(try ScriptedPinentry(asked: garbage))
    }

    @Test(arguments: ["OPTION", "SETTIMEOUT", "SETTITLE", "SETDESC", "SETOK", "SETPROMPT", "GETPIN"])
    func `one that is killed at a step is not available`(_ step: String) throws {
        isNotAvailable(try ScriptedPinentry(said: "\(step)) kill -KILL $$ ;;"))
    }

    @Test func `one that is killed by somebody else while a person types is not available`() throws {
        let script = try ScriptedPinentry(asked: "echo >\"$0.asking\"; exec sleep 600")
        let path = script.path
        let asking = Asking { try Pinentry(path: path, endWithin: .seconds(20)).ask(.forSecret, on: .anywhere) }
        _ = try script.waitForNote("asking")
        let pid = try #require(pid_t(script.note("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
        kill(pid, SIGKILL)
        #expect(throws: KeychainError(.notAvailable, "")) { try asking.answer() }
        #expect(script.isGone)
    }

    @Test func `one that closes its output and lives on is not waited for`() throws {
        isNotAvailable(try ScriptedPinentry("trap '' INT; exec >&-; exec sleep 600"), endWithin: .milliseconds(200))
        isNotAvailable(try ScriptedPinentry(asked: "exec >&-; exec sleep 600"), endWithin: .milliseconds(200))
        let script = try ScriptedPinentry(asked: "trap 'exit 1' INT; exec >&-; while :; do sleep 0.01; done")
        isNotAvailable(script, endWithin: .milliseconds(200))
    }

    @Test func `one that closes its input raises no signal here`() throws {
        isNotAvailable(try ScriptedPinentry("exec <&-; echo OK; sleep 0.3; echo OK; exit 0"))
    }

    @Test func `a secret is worth the same from one that ignores the farewell`() throws {
        let script = try ScriptedPinentry(asked: "echo 'D open'; echo OK", said: "BYE) trap '' INT; exec sleep 600 ;;")
        #expect(try script.ask(endWithin: .milliseconds(200)).typed == "open")
        #expect(script.isGone)
    }

    @Test func `a secret is worth the same from one that is killed at the farewell`() throws {
        let script = try ScriptedPinentry(asked: "echo 'D open'; echo OK", said: "BYE) kill -KILL $$ ;;")
        #expect(try script.ask().typed == "open")
        #expect(script.isGone)
    }

    @Test func `half a secret is none`() throws {
        isNotAvailable(try ScriptedPinentry(asked: "echo 'D half'; kill -KILL $$"))
    }

    @Test func `what is sent as a secret before anybody was asked is not the answer`() throws {
        let script = try ScriptedPinentry(
            asked: "echo 'D asked'; echo OK",
            said: "SETDESC) echo 'D before'; echo OK ;;"
        )
        #expect(try script.ask().typed == "asked")
    }

    @Test func `one that does not show what it is about asks nobody`() throws {
        isNotAvailable(try ScriptedPinentry(asked: "echo 'D open'; echo OK", said: "SETDESC) echo ERR 83886355 no ;;"))
    }

    @Test func `one without a name for its buttons cannot have a message take another way`() throws {
        var prompt = PinentryPrompt.forMessage
        prompt.fallbackLabel = "Use Passcode"
        isNotAvailable(try ScriptedPinentry(said: "SETOK) echo ERR 83886355 no ;;"), prompt)
    }

    @Test func `a person who has no time left is not waited for`() throws {
        let script = try ScriptedPinentry(asked: "exec sleep 600")
        var prompt = PinentryPrompt.forSecret
        prompt.timeout = .seconds(1)
        #expect(try script.ask(prompt).name == "timed out")
        #expect(script.isGone)
    }

    @Test func `one that ignores every request to end is killed`() throws {
        let script = try ScriptedPinentry(
            asked: "trap '' INT TERM HUP; echo >\"$0.asking\"; exec sleep 600"
        )
        let pinentry = Pinentry(path: script.path, endWithin: .milliseconds(200))
        let asking = Asking { try pinentry.ask(.forSecret, on: .anywhere) }
        _ = try script.waitForNote("asking")
        pinentry.cancel()
        #expect(try asking.answer().name == "withdrawn")
        #expect(script.isGone)
    }

    @Test func `one that is stopped is ended all the same`() throws {
        let script = try ScriptedPinentry(
            asked: "trap 'echo >\"$0.ended\"; exit 1' INT; echo >\"$0.asking\"; kill -STOP $$"
        )
        let pinentry = Pinentry(path: script.path, endWithin: .seconds(20))
        let asking = Asking { try pinentry.ask(.forSecret, on: .anywhere) }
        _ = try script.waitForNote("asking")
        pinentry.cancel()
        #expect(try asking.answer().name == "withdrawn")
        #expect(script.isGone)
        #expect(script.note("ended") == "\n")
    }

    @Test func `a question that is withdrawn before it is asked is not asked`() throws {
        let script = try ScriptedPinentry(asked: "echo >\"$0.asking\"; echo 'D open'; echo OK")
        let pinentry = Pinentry(path: script.path)
        pinentry.cancel()
        #expect(try pinentry.ask(.forSecret, on: .anywhere).name == "withdrawn")
        #expect(try pinentry.ask(.forSecret, on: .anywhere).name == "withdrawn")
        #expect(script.note("asking").isEmpty)
    }

    @Test func `a second question at the same time is refused`() throws {
        let script = try ScriptedPinentry(asked: "echo >\"$0.asking\"; exec sleep 600")
        let pinentry = Pinentry(path: script.path)
        let asking = Asking { try pinentry.ask(.forSecret, on: .anywhere) }
        _ = try script.waitForNote("asking")
        #expect(throws: KeychainError(.notAvailable, "")) { try pinentry.ask(.forSecret, on: .anywhere) }
        pinentry.cancel()
        #expect(try asking.answer().name == "withdrawn")
    }

    @Test func `a pinentry does not outlive whoever asks`() throws {
        let script = try ScriptedPinentry("echo >\"$0.asking\"; exec sleep 600")
        let path = script.path
        let started = Mutex(clinux_conversation())
        let thread = Thread {
            let arguments = [strdup(path), nil]
            let environment: [UnsafeMutablePointer<CChar>?] = [nil]
            var conversation = clinux_conversation()
            _ = clinux_start_conversation(path, arguments, environment, &conversation)
            free(arguments[0])
            // Something is there to be ended.
            _ = try? script.waitForNote("asking")
            started.withLock { $0 = conversation }
        }
        thread.start()
        var conversation = clinux_conversation()
        try waitUntil("the pinentry has started") {
            conversation = started.withLock { $0 }
            return conversation.pid != 0
        }
        var status: Int32 = 0
        #expect(waitpid(conversation.pid, &status, 0) == conversation.pid)
        #expect(status & 0x7f == SIGINT)
        for descriptor in [conversation.process, conversation.input, conversation.output] { close(descriptor) }
    }

    @Test func `descriptors, signals and variables of this process are not the pinentry's`() throws {
        let script = try ScriptedPinentry(
            asked: """
                # By itself: a shell blocks signals while it starts others.
                while read -r line; do echo "$line" >>"$0.signals"; done </proc/$$/status
                env >"$0.env"; ls /proc/$$/fd >"$0.fd"
                readlink /proc/$$/fd/2 >"$0.errors"; echo OK
                """
        )
        setenv("PINENTRY_TEST_SECRET", "hers", 1)
        let inherited = open("/dev/null", O_RDONLY)
        defer { close(inherited) }
        let path = script.path
        let asking = Asking {
            // As threads of a service have it.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            let place = PinentryTerminal(
                ttyType: "xterm",
                display: ":99",
                waylandDisplay: "wayland-7",
                lcCtype: "C.UTF-8"
            )
            return try Pinentry(path: path).ask(.forSecret, on: place)
        }
        #expect(try asking.answer().typed == "")
        let variables = script.note("env").split(separator: "\n").compactMap { $0.split(separator: "=").first }
        let known: Set<Substring> = [
            "DISPLAY", "WAYLAND_DISPLAY", "TERM", "LC_CTYPE", "HOME", "LANG", "XDG_RUNTIME_DIR", "XAUTHORITY",
            "DBUS_SESSION_BUS_ADDRESS", "PINENTRY_USER_DATA",
            // The shell's own.
            "PWD", "_", "OLDPWD", "SHLVL",
        ]
        #expect(Set(variables).isSubset(of: known))
        #expect(script.note("env").contains("WAYLAND_DISPLAY=wayland-7\n"))
        // The script is a file that the shell has open, above those that it was given.
        let descriptors = script.note("fd").split(separator: "\n").compactMap { Int32($0) }
        #expect(descriptors.filter { $0 < 10 } == [0, 1, 2])
        #expect(!descriptors.contains(inherited))
        #expect(script.note("errors") == "/dev/null\n")
        for name in ["SigBlk", "SigIgn"] {
            let line = script.note("signals").split(separator: "\n").first { $0.hasPrefix(name + ":") }
            let signals = try #require(line.flatMap { UInt64($0.dropFirst(name.count + 2), radix: 16) })
            // The C library keeps two above these for itself.
            #expect(signals & 0x7fff_ffff == 0, "\(name)")
        }
    }
}
