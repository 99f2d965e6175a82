import Foundation
import Glibc
import KeychainModel
import KeychainPinentry
import KeychainTestSupport

/// A pinentry that is a shell script: it misbehaves as a test says.
final class ScriptedPinentry: Sendable {
    struct Failed: Error {
        let step: String
    }

    let path: String
    private let folder: String

    /// - Parameters:
    ///   - greeting: what it says at first.
    ///   - asked: what it does at `GETPIN` and `CONFIRM`.
    ///   - said: what it does at a command, as lines of `case`; before all others.
    convenience init(greeting: String = "echo OK", asked: String = "echo OK", said: String = "") throws {
        try self.init(
            """
            \(greeting)
            while read -r command rest; do
                case $command in
                \(said)
                GETPIN | CONFIRM) \(asked) ;;
                BYE) echo OK; exit 0 ;;
                *) echo OK ;;
                esac
            done
            """
        )
    }

    init(_ script: String) throws {
        folder = FileManager.default.temporaryDirectory.path + "/pinentry-\(UUID().uuidString.prefix(8))"
        path = folder + "/pinentry"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try writeProgram("#!/bin/sh\necho $$ >\"$0.pid\"\n" + script + "\n", to: path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// What the script wrote beside itself.
    func note(_ name: String) -> String {
        (try? String(contentsOfFile: path + "." + name, encoding: .utf8)) ?? ""
    }

    /// Waits until the script has written something.
    func waitForNote(_ name: String) throws -> String {
        let deadline = Date(timeIntervalSinceNow: 20)
        while !note(name).hasSuffix("\n") {
            guard Date() < deadline else { throw Failed(step: "wait for \(name)") }
            usleep(2_000)
        }
        return note(name)
    }

    /// Whether nothing is left of the process, not even what it ended with.
    var isGone: Bool {
        guard let pid = pid_t(note("pid").trimmingCharacters(in: .whitespacesAndNewlines)) else { return false }
        return kill(pid, 0) != 0 && errno == ESRCH
    }

    /// Asks with it, somewhere that it does not look at.
    func ask(
        _ prompt: PinentryPrompt = .forSecret,
        replyWithin: Duration = .seconds(20),
        endWithin: Duration = .seconds(20)
    ) throws -> PinentryAnswer {
        try Pinentry(path: path, replyWithin: replyWithin, endWithin: endWithin).ask(prompt, on: .anywhere)
    }
}

extension PinentryTerminal {
    /// A display that nobody looks at.
    static let anywhere = PinentryTerminal(display: ":99")
}

extension PinentryPrompt {
    static let forSecret = PinentryPrompt(.secret, title: "Keychain", description: "A test asks.")
    static let forConfirmation = PinentryPrompt(.confirmation, title: "Keychain", description: "A test asks.")
    static let forMessage = PinentryPrompt(.message, title: "Keychain", description: "Touch the reader.")
}

extension PinentryAnswer {
    /// The secret as text; nil for every other answer.
    var typed: String? {
        guard case .secret(let secret) = self else { return nil }
        return secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    var name: String {
        switch self {
        case .secret: "secret"
        case .accepted: "accepted"
        case .declined: "declined"
        case .fallback: "fallback"
        case .timedOut: "timed out"
        case .withdrawn: "withdrawn"
        }
    }
}

/// A question that is asked on a thread of its own.
final class Asking: @unchecked Sendable {
    struct NoEnd: Error {}

    private let done = DispatchSemaphore(value: 0)
    // Written before the semaphore is raised, read after.
    private var result: Result<PinentryAnswer, any Error>?

    init(_ body: @escaping @Sendable () throws -> PinentryAnswer) {
        Thread { [self] in
            result = Result { try body() }
            done.signal()
        }.start()
    }

    /// - Parameter nudge: called each second until there is an answer.
    func answer(nudge: () -> Void = {}) throws -> PinentryAnswer {
        for _ in 0..<60 {
            nudge()
            if done.wait(timeout: .now() + 1) == .success, let result { return try result.get() }
        }
        throw NoEnd()
    }
}
