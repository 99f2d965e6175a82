import EnclaveInterface
import Foundation
import KeychainModel
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

/// A keychain whose passcode is `open sesame`, whose owner a script plays.
///
/// Unchecked, since its parts are not changed after it was made, and their own locks or processes guard what they do.
final class AttendedKeychain: @unchecked Sendable {
    let fixture: KeychainFixture
    let person: ScriptedPinentry
    let control: any EnclaveControl
    static let passcode = SecretBytes(Array("open sesame".utf8))

    init(
        _ transport: Transport,
        _ answers: ScriptedPinentry.Answer...,
        fingers: FingerprintSite? = nil,
        hasAgent: Bool = true
    ) throws {
        person = try ScriptedPinentry()
        for answer in answers { person.answer(answer) }
        fixture = try KeychainFixture(
            transport,
            isLockable: true,
            pinentry: person.path,
            fingers: fingers,
            hasAgent: hasAgent
        )
        control = try #require(try fixture.control())
        try control.changePasscode(from: nil, to: Self.passcode)
        if transport == .system { try wait { LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) } }
        if let fingers, fingers.hasBus { try wait { Self.biometry != .biometryNotAvailable } }
    }

    /// Why no finger can be asked for.
    static var biometry: LAError.Code? {
        var error: NSError?
        let can = LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
        return can ? nil : (error as? LAError)?.code
    }

    func run(_ body: () throws -> Void) throws {
        try fixture.asProgram(groups: ["test.default"], body)
    }

    /// Those who ask connect by themselves, and nobody is told when.
    func wait(until isThere: () -> Bool) throws {
        for _ in 0..<3_000 {
            if fixture.asProgram(groups: [], isThere) { return }
            usleep(20_000)
        }
        throw BehaviourDaemon.Unavailable()
    }
}

@Suite("Items that demand their owner's presence", .timeLimit(.minutes(10)))
struct PresenceTests {
    private func control(_ flags: SecAccessControlCreateFlags = .devicePasscode) throws -> SecAccessControl {
        try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil))
    }

    /// Adds an item of alice's that demands something.
    private func addGuarded(
        _ flags: SecAccessControlCreateFlags = .devicePasscode,
        account: String = "alice"
    ) throws {
        try #require(add(password(account: account, [kSecAttrAccessControl: control(flags)])) == errSecSuccess)
    }

    private func read(account: String = "alice", _ more: [CFString: Any] = [:]) -> (status: OSStatus, value: Data?) {
        let found = find(query(account: account, more.merging([kSecReturnData: true]) { $1 }))
        return (found.status, found.result as? Data)
    }

    // MARK: - Over every transport

    @Test(arguments: Transport.allCases)
    func `the value is for whoever gives the passcode, and the attributes are for the whole program`(
        transport: Transport
    ) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            try addGuarded()
            #expect(try attributes(of: query(account: "alice"))["acct"] as? String == "alice")
            #expect(find(query(account: "alice")).status == errSecSuccess)
            #expect(keychain.person.dialogs == 0)
            keychain.person.answer(.secret("open sesame"))
            #expect(read([kSecUseOperationPrompt: "Pay 3 € for tea"]) == (errSecSuccess, secret))
            #expect(keychain.person.dialogs == 1)
            #expect(keychain.person.shown.contains("Pay 3 € for tea"))
            // Each call asks anew.
            keychain.person.answer(.no)
            #expect(read() == (errSecUserCanceled, nil))
            keychain.person.answer(.secret("wrong"), .secret("open sesame"))
            #expect(read() == (errSecSuccess, secret))
            #expect(keychain.person.dialogs == 4)
            #expect(delete(query(account: "alice")) == errSecSuccess)
            #expect(keychain.person.dialogs == 4)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update by the digest of a guarded value asks once, and a deletion by it asks nobody`(
        transport: Transport
    ) throws {
        let keychain = try AttendedKeychain(transport, .secret("open sesame"))
        try keychain.run {
            try addGuarded()
            let found = find(query(account: "alice", [kSecReturnData: true, kSecReturnAttributes: true]))
            let digest = try #require((found.result as? [String: Any])?["sha1"])
            let byDigest = query(account: "alice", ["sha1" as NSString: digest])
            #expect(keychain.person.dialogs == 1)
            keychain.person.answer(.secret("open sesame"))
            #expect(update(byDigest, [kSecAttrComment: "changed"]) == errSecSuccess)
            #expect(try attributes(of: query(account: "alice"))["icmt"] as? String == "changed")
            #expect(keychain.person.dialogs == 2)
            #expect(delete(byDigest) == errSecInteractionNotAllowed)
            #expect(keychain.person.dialogs == 2)
            #expect(find(query(account: "alice")).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `what is proved in a context counts in that context alone, and until it ends`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport, .secret("open sesame"))
        try keychain.run {
            try addGuarded()
            try addGuarded(.userPresence, account: "bob")
            let context = LAContext()
            context.localizedReason = "Show the letters"
            #expect(read([kSecUseAuthenticationContext: context]) == (errSecSuccess, secret))
            #expect(read([kSecUseAuthenticationContext: context]) == (errSecSuccess, secret))
            #expect(read(account: "bob", [kSecUseAuthenticationContext: context]) == (errSecSuccess, secret))
            #expect(keychain.person.dialogs == 1)
            #expect(keychain.person.shown.contains("Show the letters"))
            // Neither without it nor in another one.
            let silent: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
            #expect(read(silent) == (errSecInteractionNotAllowed, nil))
            #expect(
                read(silent.merging([kSecUseAuthenticationContext: LAContext()]) { $1 })
                    == (errSecInteractionNotAllowed, nil)
            )
            #expect(
                read(silent.merging([kSecUseAuthenticationContext: context]) { $1 }) == (errSecSuccess, secret)
            )
            context.invalidate()
            #expect(read([kSecUseAuthenticationContext: context]) == (errSecInteractionNotAllowed, nil))
            #expect(keychain.person.dialogs == 1)
        }
    }

    /// What an evaluation replies. No thread of Swift's pool waits for it: others in it wait for services.
    private final class Evaluation: @unchecked Sendable {
        // Unchecked: the semaphore orders its one writing and its reading.
        private let done = DispatchSemaphore(value: 0)
        private var replied: (Bool, LAError.Code?)?

        init(_ context: LAContext, _ reason: String) {
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason) { [self] success, error in
                replied = (success, (error as? LAError)?.code)
                done.signal()
            }
        }

        func wait() -> (success: Bool, code: LAError.Code?)? {
            done.wait()
            return replied
        }
    }

    @Test(arguments: Transport.allCases)
    func `a policy that was evaluated opens items of its context`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport, .secret("open sesame"))
        try keychain.run {
            try addGuarded()
            let context = LAContext()
            #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
            #expect(!context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil))
            let replied = try #require(Evaluation(context, "Open the letters").wait())
            #expect(replied == (true, nil))
            #expect(keychain.person.shown.contains("Open the letters"))
            #expect(read([kSecUseAuthenticationContext: context]) == (errSecSuccess, secret))
            #expect(keychain.person.dialogs == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a lock takes back what is asked, and the call fails`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            try addGuarded()
            let locker = Locker(keychain)
            #expect(read() == (errSecAuthFailed, nil))
            locker.wait()
        }
        #expect(keychain.person.allClose())
    }

    /// Locks a keychain as soon as somebody is asked.
    private final class Locker: @unchecked Sendable {
        // Unchecked: what it holds is used by its thread, and by the test after that.
        private let done = DispatchSemaphore(value: 0)
        private let keychain: AttendedKeychain

        init(_ keychain: AttendedKeychain) {
            self.keychain = keychain
            Thread.detachNewThread { [self] in
                _ = keychain.person.waitForDialog()
                try? keychain.control.lock()
                done.signal()
            }
        }

        func wait() { done.wait() }
    }

    // MARK: - Every flag and outcome

    /// What a person does about a prompt, and what the call fails with; nil for success.
    private static let outcomes: [(answers: [ScriptedPinentry.Answer], status: OSStatus)] = [
        ([.secret("open sesame")], errSecSuccess), ([.secret("wrong"), .secret("open sesame")], errSecSuccess),
        ([.secret(""), .secret("open sesame")], errSecSuccess), ([.no], errSecUserCanceled),
        ([.secret("wrong"), .no], errSecUserCanceled),
        ([.secret("wrong"), .secret("wrong"), .secret("wrong")], errSecAuthFailed),
        ([.dies], errSecInteractionNotAllowed), ([.line("What?")], errSecInteractionNotAllowed),
    ]

    /// Which access controls a passcode opens, where there is no reader of fingers.
    private static let flags: [(SecAccessControlCreateFlags, isEnough: Bool)] = [
        (.userPresence, true), (.devicePasscode, true), ([.biometryAny, .devicePasscode, .or], true),
        ([.watch, .devicePasscode, .or], true), ([.devicePasscode, .and], true), (.biometryAny, false),
        (.touchIDAny, false), ([.biometryAny, .devicePasscode, .and], false), ([.biometryAny, .devicePasscode], false),
    ]

    @Test(arguments: Transport.lockableAtNoCost)
    func `whatever the person does, the status says it`(transport: Transport) throws {
        for (answers, status) in Self.outcomes {
            // Wrong passcodes are counted: each has a keychain of its own.
            let keychain = try AttendedKeychain(transport)
            try keychain.run {
                try addGuarded()
                for answer in answers { keychain.person.answer(answer) }
                #expect(read() == (status, status == errSecSuccess ? secret : nil), "\(answers)")
                #expect(keychain.person.dialogs == answers.count, "\(answers)")
            }
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `whatever the flags, the passcode is enough or nobody is asked for it`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            for (flags, isEnough) in Self.flags {
                try addGuarded(flags)
                let before = keychain.person.dialogs
                if isEnough { keychain.person.answer(.secret("open sesame")) }
                let expected = isEnough ? (errSecSuccess, secret) : (errSecNotAvailable, nil)
                #expect(read() == expected, "\(flags)")
                #expect(keychain.person.dialogs == before + (isEnough ? 1 : 0), "\(flags)")
                delete(query(account: "alice"))
            }
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `who must not be asked is not asked, and items are left out where that is wanted`(transport: Transport) throws
    {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            try addGuarded()
            add(password(account: "bob"))
            #expect(read([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]).status == errSecInteractionNotAllowed)
            #expect(read([kSecUseNoAuthenticationUI: true]).status == errSecInteractionNotAllowed)
            #expect(read([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]).status == errSecItemNotFound)
            let silent = LAContext()
            silent.interactionNotAllowed = true
            #expect(read([kSecUseAuthenticationContext: silent]).status == errSecInteractionNotAllowed)
            let all: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true,
                kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
            ]
            #expect((find(all).result as? [Data])?.count == 1)
            #expect(keychain.person.dialogs == 0)
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `items that demand the same are asked for once, and others one after the other`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport, .secret("open sesame"), .secret("open sesame"))
        try keychain.run {
            for account in ["alice", "bob", "carol"] { try addGuarded(account: account) }
            try addGuarded(.userPresence, account: "dave")
            add(password(account: "eve"))
            let all: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true,
            ]
            #expect((find(all).result as? [Data])?.count == 5)
            #expect(keychain.person.dialogs == 2)
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `a change of attributes asks for the old value's sake, and a new value does not`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            try addGuarded()
            #expect(update(query(account: "alice"), [kSecValueData: Data("new".utf8)]) == errSecSuccess)
            #expect(keychain.person.dialogs == 0)
            keychain.person.answer(.no)
            #expect(update(query(account: "alice"), [kSecAttrLabel: "new"]) == errSecUserCanceled)
            #expect(try attributes(of: query(account: "alice"))["labl"] as? String != "new")
            keychain.person.answer(.secret("open sesame"))
            #expect(update(query(account: "alice"), [kSecAttrLabel: "new"]) == errSecSuccess)
            keychain.person.answer(.secret("open sesame"))
            #expect(read() == (errSecSuccess, Data("new".utf8)))
            // Nor is the guard taken off behind the owner's back.
            keychain.person.answer(.no)
            let bare = update(query(account: "alice"), [kSecAttrAccessible: kSecAttrAccessibleAlways])
            #expect(bare == errSecUserCanceled)
            #expect(keychain.person.dialogs == 4)
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `an item that is added is returned to whoever added it`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            var result: CFTypeRef?
            let item = password(account: "alice", [kSecAttrAccessControl: try control(), kSecReturnData: true])
            #expect(SecItemAdd(item as CFDictionary, &result) == errSecSuccess)
            #expect(result as? Data == secret)
            #expect(keychain.person.dialogs == 0)
            // A second one is a duplicate, which nobody is asked about either.
            #expect(add(item) == errSecDuplicateItem)
            #expect(keychain.person.dialogs == 0)
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `an application password is asked for where no context has it`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            keychain.person.answer(.secret("sésame"))
            let added = add(
                password(
                    account: "alice",
                    [kSecAttrAccessControl: try control([.applicationPassword, .devicePasscode])]
                )
            )
            #expect(added == errSecSuccess, "\(keychain.person.log)")
            #expect(keychain.person.shown.contains("SETREPEAT"))
            keychain.person.answer(.secret("open sesame"), .secret("sésame"))
            #expect(read() == (errSecSuccess, secret))
            #expect(keychain.person.dialogs == 3)
            // A wrong one is asked for again.
            let context = LAContext()
            keychain.person.answer(.secret("open sesame"), .secret("Sésame"), .secret("open sesame"), .secret("sésame"))
            #expect(read([kSecUseAuthenticationContext: context]).value == secret)
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `calls at the same time are asked about one after the other`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            try addGuarded()
            for _ in 0..<4 { keychain.person.answer(.secret("open sesame")) }
            let connection = keychain.fixture.connection()
            let found = Counter()
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
                request.returns = .data
                if let items = try? connection.find(request), items.first?.secrets[.valueData] != nil { found.add() }
            }
            #expect(found.count == 4)
            var open = 0
            for line in keychain.person.log {
                if line.hasPrefix("begin") { open += 1 }
                if line.hasPrefix("end") { open -= 1 }
                #expect((0...1).contains(open))
            }
        }
    }

    private final class Counter: Sendable {
        private let value = NSLock()
        nonisolated(unsafe) private var number = 0

        func add() { value.withLock { number += 1 } }
        var count: Int { value.withLock { number } }
    }

    // MARK: - The service

    @Test(arguments: [Transport.session, .system].filter(Transport.allCases.contains))
    func `a prompt closes when its context is invalidated`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            let context = LAContext()
            let evaluation = Evaluation(context, "wait")
            #expect(keychain.person.waitForDialog())
            context.invalidate()
            #expect(evaluation.wait()?.code == .appCancel)
            #expect(keychain.person.allClose())
        }
    }
}
