import EnclaveClient
import EnclaveInterface
import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

/// What any program of the victim's user tries before there is a passcode, and with one that nobody has confirmed: to have the
/// keychain exported, ransomed or destroyed.
@Suite(
    .serialized,
    .enabled(if: AttackSite.obstacle == nil, "needs root, a root folder that is a mount, setpriv and a C compiler"),
    .timeLimit(.minutes(5))
)
struct TrustedPathAttackTests {
    private let tools: OwnersTools

    init() throws {
        let site = try AttackSite.shared.get()
        tools = try OwnersTools(site, AttackedService(site, without: [], options: ["--tpm", "none"]))
    }

    private static let passcode = SecretBytes(Array("the person's".utf8))
    private static let guess = SecretBytes(Array("x".utf8))
    private static let invented = AuthorizationToken([UInt8](repeating: 7, count: AuthorizationToken.size))

    /// By way of the command, as anybody would: each line writes what it gets into the attacker's folder.
    private static let commands = [
        "printf 'x\\nx\\n' | chatelaine passcode set --stdin",
        "printf 'x\\n' | chatelaine export --stdin stolen.csv",
        "printf 'x\\n' | chatelaine export --stdin --format json stolen.json",
        "printf 'x\\nphrase of theirs\\n' | chatelaine backup create --stdin stolen.backup",
        "printf 'x\\n' | chatelaine rotate-keys --stdin",
        "printf 'x\\n' | chatelaine passcode confirm --stdin",
        "printf 'x\\n' | chatelaine settings --stdin --wipe-after 1",
        "printf 'x\\n' | chatelaine settings --stdin --no-lock-on-sleep",
        "printf 'x\\n' | chatelaine passcode remove --stdin",
    ]

    private func check(_ tools: OwnersTools, _ lines: [String] = commands) throws {
        // A passcode that was set just now gives the items new keys, which takes the service its time.
        try #require(try eventually { try tools.victimReads() && !tools.root().state().isRotating })
        let before = try tools.root().state()
        for line in lines {
            #expect(try !tools.reveals(line), "\(line)")
            #expect(try tools.shell(line).status == 1, "\(line)")
        }
        var after = try tools.root().state()
        after.epoch = before.epoch
        #expect(after == before)
        let files = try FileManager.default.contentsOfDirectory(atPath: tools.folder)
        #expect(!files.contains { $0.hasPrefix("stolen") }, "\(files)")
        #expect(try tools.victimReads())
    }

    /// A second service could else bind a socket of its own in that place.
    @Test func `the enclave's socket has one service for as long as it runs (as root)`() throws {
        let lock = tools.service.folder + "/enclave.sock.lock"
        #expect(FileManager.default.fileExists(atPath: lock))
        #expect(try Command(["flock", "--nonblock", lock, "true"]).run().status == 1)
    }

    @Test func `before there is a passcode no program gets anything by the command (as root)`() throws {
        try check(tools)
    }

    /// Everything that the owners' socket takes from an owner and that reveals, destroys or shuts out.
    private func requests(_ passcode: SecretBytes?, _ token: AuthorizationToken?) -> [any EnclaveRequest] {
        GuardedOperation.allCases.map { AuthorizeRequest($0, passcode: passcode) } + [
            OwnersTools.changePasscode(from: passcode, to: nil, with: token),
            ConfirmPasscodeRequest(passcode ?? Self.guess, with: token),
            ChangeSettingsRequest(LockSettings(wipesAfter: 1), passcode: passcode, with: token),
            ChangeSettingsRequest(LockSettings(locksOnSleep: false), passcode: passcode, with: token),
        ]
    }

    @Test func `before there is a passcode no program gets anything from the owners' socket (as root)`() throws {
        for token in [nil, Self.invented] {
            let first = OwnersTools.changePasscode(from: nil, to: Self.guess, with: token)
            #expect(try tools.failure(first) == .authenticationFailed)
            for passcode in [nil, Self.guess] {
                for request in requests(passcode, token) {
                    // Taking away what is not there is done at once.
                    let removes = request is ChangePasscodeRequest || request is ChangePasscodeWithTokenRequest
                    if passcode == nil, removes { continue }
                    #expect(try tools.failure(request) == .authenticationFailed, "\(request)")
                }
            }
        }
        #expect(try tools.root().state().settings == LockSettings())
        #expect(try tools.failure(UnlockRequest(Self.guess)) == .authenticationFailed)
        // What a log-in sends, from a program that is none.
        #expect(try tools.failure(LogInRequest(Self.guess, setsFirst: true)) == .authenticationFailed)
        #expect(try tools.root().state().hasPasscode == false)
        #expect(try tools.victimReads())
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/fuse"), "needs /dev/fuse"))
    func `a descriptor that nobody can close holds up the enclave for nobody (as root, needs /dev/fuse)`() throws {
        let program = tools.folder + "/flushed"
        try AttackSite.compile(program, ["-static", "flushed.c"])
        try FileManager.default.createDirectory(atPath: tools.folder + "/mounted", withIntermediateDirectories: false)
        chown(tools.folder + "/mounted", AttackSite.user, AttackSite.user)
        let unshare = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
        let attack = try RunningProgram(
            Command(
                unshare + [program, tools.folder + "/mounted", tools.service.folder + "/enclave.sock"],
                as: AttackSite.user,
                environment: ["PATH": "/usr/bin:/bin"]
            ),
            in: tools.service.folder,
            until: "sent"
        )
        // Its end closes the file system, and whatever waits for it goes on.
        defer { attack.stop() }
        #expect(try tools.root().state().hasPasscode == false)
        #expect(try tools.victimReads())
        #expect(!attack.text.contains("flushed"))
        attack.stop()
        #expect(!attack.isRunning)
    }

    @Test func `a passcode that came before the trusted path gives no leave until it is confirmed (as root)`() throws {
        try tools.root().changePasscode(from: nil, to: Self.guess)
        let tools = try tools.restartedWithOlderKeybag(wipesAfter: 1)
        try tools.root().lock()
        try #require(try tools.failure(UnlockRequest(Self.guess)) == nil)
        let state = try tools.root().state()
        #expect(state.hasPasscode && !state.isPasscodeConfirmed && state.settings.wipesAfter == nil)
        // Whoever has set it knows it, and that is all that they have.
        try check(tools)
        for request in requests(Self.guess, nil) + requests(Self.guess, Self.invented) {
            #expect(try tools.failure(request) == .authenticationFailed, "\(request)")
        }
        // What was armed before destroys nothing.
        #expect(try tools.failure(VerifyPasscodeRequest(Self.passcode)) == .authenticationFailed)
        #expect(try tools.failure(VerifyPasscodeRequest(Self.guess)) == nil)
        let status = try tools.shell("chatelaine status; chatelaine doctor")
        #expect(status.contains("unconfirmed") && status.contains("chatelaine passcode confirm"), "\(status.text)")

        // As a log-in does it.
        try tools.root().verify(Self.guess)
        #expect(try tools.root().state().isPasscodeConfirmed)
        #expect(try tools.failure(AuthorizeRequest(.export, passcode: Self.guess)) == nil)
        #expect(try tools.failure(AuthorizeRequest(.export, passcode: Self.passcode)) == .authenticationFailed)
        #expect(try tools.reveals("printf 'x\\n' | chatelaine export --stdin own.csv"))
    }

    @Test func `an older keybag without a passcode is no more open than a new one (as root)`() throws {
        let tools = try tools.restartedWithOlderKeybag(wipesAfter: 1)
        #expect(try tools.root().state().settings.wipesAfter == nil)
        try check(tools)
    }

    @Test func `a token is good for one thing, one user and one time, and a made-up one for nothing (as root)`() throws
    {
        let root = try tools.root()
        func set(_ token: AuthorizationToken?) -> any EnclaveRequest {
            OwnersTools.changePasscode(from: nil, to: Self.passcode, with: token)
        }
        for operation in GuardedOperation.allCases where operation != .setPasscode {
            let other = try root.authorize(operation, passcode: nil)
            #expect(try tools.failure(set(other)) == .authenticationFailed)
        }
        // Root has a keychain too, once it has an item.
        let list = tools.folder + "/root.csv"
        try Data("Title,Username,Password\na,root,one\n".utf8).write(to: URL(filePath: list))
        let imported = try Command(
            [ServiceProcess.program("chatelaine"), "import", list],
            environment: ["CHATELAINE_KEYCHAIN": "unix:" + tools.service.socket, "PATH": "/usr/bin:/bin"]
        ).run()
        try #require(imported.status == 0, "\(imported.errors)")
        let foreign = try tools.root(of: 0).authorize(.setPasscode, passcode: nil)
        #expect(try tools.failure(set(foreign)) == .authenticationFailed)
        #expect(try tools.failure(set(Self.invented)) == .authenticationFailed)
        // Nobody gets one for somebody else, or from somebody else.
        #expect(try tools.failure(AuthorizeRequest(.setPasscode, passcode: nil), about: 0) == .noPermission)
        #expect(try root.state().hasPasscode == false)

        let token = try root.authorize(.setPasscode, passcode: nil)
        #expect(try tools.failure(set(token)) == nil)
        #expect(try root.state().isPasscodeConfirmed)
        let remove = OwnersTools.changePasscode(from: Self.passcode, to: nil, with: token)
        #expect(try tools.failure(remove) == .authenticationFailed)
        let wrong = try root.authorize(.removePasscode, passcode: nil)
        #expect(
            try tools.failure(OwnersTools.changePasscode(from: Self.guess, to: nil, with: wrong))
                == .authenticationFailed
        )
        #expect(
            try tools.failure(OwnersTools.changePasscode(from: Self.passcode, to: nil, with: wrong))
                == .authenticationFailed
        )
        let right = try root.authorize(.removePasscode, passcode: nil)
        #expect(try tools.failure(OwnersTools.changePasscode(from: Self.passcode, to: nil, with: right)) == nil)
        #expect(try root.state().hasPasscode == false)
    }

    @Test func `nobody confirms a passcode without knowing it, or without the token (as root)`() throws {
        try tools.root().changePasscode(from: nil, to: Self.passcode)
        let tools = try tools.restartedWithOlderKeybag()
        let root = try tools.root()
        #expect(try tools.failure(ConfirmPasscodeRequest(Self.passcode, with: nil)) == .authenticationFailed)
        #expect(try tools.failure(ConfirmPasscodeRequest(Self.passcode, with: Self.invented)) == .authenticationFailed)
        let first = try root.authorize(.confirmPasscode, passcode: nil)
        #expect(try tools.failure(ConfirmPasscodeRequest(Self.guess, with: first)) == .authenticationFailed)
        #expect(try tools.failure(ConfirmPasscodeRequest(Self.passcode, with: first)) == .authenticationFailed)
        #expect(try root.state().isPasscodeConfirmed == false)
        let second = try root.authorize(.confirmPasscode, passcode: nil)
        #expect(try tools.failure(ConfirmPasscodeRequest(Self.passcode, with: second)) == nil)
        #expect(try root.state().isPasscodeConfirmed)
    }

    @Test func `ten thousand requests without a token are refused at once and count for no guess (as root)`() throws {
        try tools.root().changePasscode(from: nil, to: Self.passcode)
        let start = ContinuousClock.now
        let replies = try tools.ask(
            [
                OwnersTools.changePasscode(from: Self.guess, to: nil, with: Self.invented),
                ChangeSettingsRequest(LockSettings(wipesAfter: 1), passcode: Self.guess),
            ],
            times: 5_000
        )
        // Five passcodes take longer than that.
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(replies.count == 2)
        for error in replies { #expect(error?.code == .authenticationFailed) }
        // After a few wrong ones there would be a wait.
        #expect(try tools.failure(VerifyPasscodeRequest(Self.passcode)) == nil)
        #expect(try tools.victimReads())
    }

    @Test(
        .enabled(if: !OwnersTools.hasPolkitOfOurs, "polkit asks on this machine, and nothing stands in for the helper")
    )
    func `with what the system authenticated the person for, the commands do it, once (as root)`() throws {
        let root = try tools.root()
        func handOn(_ operation: GuardedOperation, _ name: String) throws {
            try tools.handOn(root.authorize(operation, passcode: nil), for: name)
        }
        func run(_ line: String) throws -> Command.Result { try tools.shell(line, isHelped: true) }
        let export = "chatelaine export --force own.csv && cat own.csv"
        #expect(try run(export).status == 1)
        try handOn(.export, "export")
        #expect(try run(export).contains("attacked"))
        // The same token again.
        #expect(try run(export).status == 1)
        try handOn(.setPasscode, "set-passcode")
        let set = try run("echo 'an own one' | chatelaine passcode set --stdin")
        #expect(set.status == 0, "\(set.errors)")
        #expect(try root.state().isPasscodeConfirmed)
        try handOn(.changeSettings, "change-settings")
        #expect(try run("chatelaine settings --wipe-after 10").status == 0)
        #expect(try root.state().settings.wipesAfter == 10)
        // The passcode is enough from now on, and nobody else is asked.
        #expect(
            try run("echo 'an own one' | chatelaine export --stdin --force own.csv && cat own.csv").contains("attacked")
        )
        #expect(try run("echo 'an own one' | chatelaine passcode remove --stdin").status == 1)
        try handOn(.removePasscode, "remove-passcode")
        #expect(try run("echo 'an own one' | chatelaine passcode remove --stdin").status == 0)
        #expect(try root.state().hasPasscode == false)
    }

    @Test(
        .enabled(if: !OwnersTools.hasPolkitOfOurs, "polkit asks on this machine, and nothing stands in for the helper"),
        arguments: ["", "00", String(repeating: "0g", count: 32) + "\n", String(repeating: "00", count: 1_000_000)]
    )
    func `what is no token in the helper's answer is none (as root)`(_ answer: String) throws {
        try tools.handOn(try #require(Self.invented), for: "export")
        let file = try AttackSite.shared.get().folder + "/helped/libexec/chatelaine/export"
        try Data(answer.utf8).write(to: URL(filePath: file))
        let result = try tools.shell("chatelaine export own.csv", isHelped: true)
        #expect(result.status == 1 && result.errors.contains("nothing was done"), "\(result.errors)")
    }
}
