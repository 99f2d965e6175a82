import LocalAuthentication
import Synchronization
import Testing

@Suite("Authentication contexts", .timeLimit(.minutes(10)), .withEmptyKeychain)
struct ContextTests {
    /// Somebody who thinks about the question until told what to answer.
    private final class Person: PresenceService {
        private let questions = Mutex<[@Sendable (LAError?) -> Void]>([])
        let biometryType = LABiometryType.touchID

        func obstacle(to policy: LAPolicy) -> LAError? { nil }

        var biometrySet: Data? { nil }

        func makeContext() -> (any AnyObject & Sendable)? { nil }

        func evaluate(
            _ question: ContextQuestion,
            _ wishes: PresenceWishes,
            in context: (any AnyObject & Sendable)?,
            reply: @escaping @Sendable (LAError?) -> Void
        ) {
            questions.withLock { $0.append(reply) }
        }

        var questionCount: Int { questions.withLock(\.count) }

        func answer(_ code: LAError.Code?) {
            for reply in questions.withLock({ $0 }) { reply(code.map { LAError($0) }) }
        }
    }

    /// What evaluations replied, in the order in which they did.
    private final class Replies: Sendable {
        private let stream: AsyncStream<LAError.Code?>
        private let continuation: AsyncStream<LAError.Code?>.Continuation

        init() {
            (stream, continuation) = AsyncStream.makeStream()
        }

        var reply: @Sendable (Bool, (any Error)?) -> Void {
            { [continuation] success, error in
                let code = (error as? LAError)?.code
                #expect(success == (error == nil) && (error == nil || code != nil))
                continuation.yield(code)
            }
        }

        func next(_ count: Int) async -> [LAError.Code?] {
            var replies: [LAError.Code?] = []
            for await reply in stream {
                replies.append(reply)
                if replies.count == count { break }
            }
            return replies
        }
    }

    private static let obstacles: [(LAPolicy, LAError.Code)] = [
        (.deviceOwnerAuthenticationWithBiometrics, .biometryNotAvailable),
        (.deviceOwnerAuthentication, .passcodeNotSet),
        (.deviceOwnerAuthenticationWithCompanion, .companionNotAvailable),
        (.deviceOwnerAuthenticationWithBiometricsOrCompanion, .biometryNotAvailable),
        (.deviceOwnerAuthenticationWithWristDetection, .passcodeNotSet),
    ]

    private func accessControl(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
        try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil))
    }

    private func code(_ body: () async throws -> Bool) async -> LAError.Code? {
        do {
            #expect(try await body())
            return nil
        } catch {
            return (error as? LAError)?.code
        }
    }

    // MARK: - Policies

    @Test func `a machine without readers and passcode says which of them is missing`() async {
        for (policy, obstacle) in Self.obstacles {
            let context = LAContext()
            var error: NSError?
            #expect(!context.canEvaluatePolicy(policy, error: &error))
            #expect((error as? LAError)?.code == obstacle)
            #expect(error?.localizedDescription.isEmpty == false)
            #expect(!context.canEvaluatePolicy(policy, error: nil))
            #expect(await code { try await context.evaluatePolicy(policy, localizedReason: "sign in") } == obstacle)
        }
        #expect(LAContext().biometryType == .none)
        #expect(LAContext().evaluatedPolicyDomainState == nil)
        #expect(LAContext().domainState.stateHash == nil)
        #expect(LAContext().domainState.biometry.biometryType == .none)
        #expect(LAContext().domainState.companion.availableCompanionTypes == [])
        #expect(LAContext().domainState.companion.stateHash(for: .watch) == nil)
    }

    @Test func `a preflight that succeeds leaves no error behind`() {
        var error: NSError? = NSError(domain: "earlier", code: 1)
        #expect(LAContext(presence: Person()).canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
        #expect(error == nil)
    }

    @Test func `a person who proves it is a success, and one who declines an error`() async {
        for answer in [nil, LAError.Code.userCancel, .authenticationFailed] {
            let person = Person()
            let context = LAContext(presence: person)
            let replies = Replies()
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "sign in", reply: replies.reply)
            person.answer(answer)
            #expect(await replies.next(1) == [answer])
        }
    }

    @Test func `an answer that comes twice is replied once`() async {
        let person = Person()
        let context = LAContext(presence: person)
        let replies = Replies()
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "first", reply: replies.reply)
        person.answer(nil)
        person.answer(.userCancel)
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "second", reply: replies.reply)
        person.answer(.biometryLockout)
        #expect(Set(await replies.next(2)) == [nil, .biometryLockout])
    }

    @Test func `a context that must not interact asks nobody`() async throws {
        let person = Person()
        let context = LAContext(presence: person)
        context.interactionNotAllowed = true
        #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        #expect(
            await code { try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "sign in") }
                == .notInteractive
        )
        let control = try accessControl(.userPresence)
        #expect(
            await code {
                try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: "read")
            } == .notInteractive
        )
        #expect(person.questionCount == 0)
    }

    @Test func `an empty reason is refused`() async throws {
        let person = Person()
        let context = LAContext(presence: person)
        #expect(
            await code { try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "") }
                == .authenticationFailed
        )
        let control = try accessControl([])
        #expect(
            await code { try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: "") }
                == .authenticationFailed
        )
        #expect(person.questionCount == 0)
    }

    // MARK: - Invalidating

    @Test func `invalidating cancels what is under way, and an answer after it counts no more`() async {
        let person = Person()
        let context = LAContext(presence: person)
        let replies = Replies()
        for _ in 0..<3 {
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "sign in", reply: replies.reply)
        }
        #expect(person.questionCount == 3)
        context.invalidate()
        person.answer(nil)
        context.invalidate()
        #expect(await replies.next(3) == [.appCancel, .appCancel, .appCancel])
    }

    @Test func `an invalidated context refuses everything`() async throws {
        let person = Person()
        let context = LAContext(presence: person)
        context.setCredential(Data([1]), type: .applicationPassword)
        context.invalidate()
        var error: NSError?
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
        #expect((error as? LAError)?.code == .invalidContext)
        #expect(
            await code { try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "sign in") }
                == .invalidContext
        )
        let control = try accessControl([])
        #expect(
            await code { try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: "x") }
                == .invalidContext
        )
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data([1]), type: .applicationPassword))
        #expect(person.questionCount == 0)
    }

    @Test func `evaluations and an invalidation on many threads at once are each answered once`() async {
        for _ in 0..<50 {
            let replies = Replies()
            nonisolated(unsafe) let context = LAContext(presence: Person())
            DispatchQueue.concurrentPerform(iterations: 9) { index in
                if index == 4 {
                    context.invalidate()
                } else {
                    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x", reply: replies.reply)
                }
            }
            let all = await replies.next(8)
            #expect(all.allSatisfy { $0 == .appCancel || $0 == .invalidContext })
        }
    }

    // MARK: - Access controls

    @Test func `an access control is refused for what the machine lacks`() async throws {
        let table: [(SecAccessControlCreateFlags, LAError.Code?)] = [
            ([], nil), (.privateKeyUsage, nil), (.userPresence, .passcodeNotSet), (.devicePasscode, .passcodeNotSet),
            (.biometryAny, .biometryNotAvailable), (.biometryCurrentSet, .biometryNotAvailable),
            (.watch, .companionNotAvailable), ([.biometryAny, .or, .devicePasscode], .passcodeNotSet),
            (.applicationPassword, .notInteractive), ([.privateKeyUsage, .biometryAny], .biometryNotAvailable),
        ]
        for (flags, expected) in table {
            let control = try accessControl(flags)
            let replied = await code {
                try await LAContext().evaluateAccessControl(control, operation: .useItem, localizedReason: "read")
            }
            #expect(replied == expected, "\(flags.rawValue)")
        }
    }

    @Test func `an application password that the context has need not be asked for`() async throws {
        let context = LAContext()
        #expect(context.setCredential(Data("secret".utf8), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(!context.isCredentialSet(.smartCardPIN))
        let control = try accessControl(.applicationPassword)
        let both = try accessControl([.applicationPassword, .biometryAny])
        func reply(_ control: SecAccessControl) async -> LAError.Code? {
            await code {
                try await context.evaluateAccessControl(control, operation: .useItem, localizedReason: "read")
            }
        }
        #expect(await reply(control) == nil)
        #expect(await reply(both) == .biometryNotAvailable)
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(await reply(control) == .notInteractive)
    }

    // MARK: - Properties

    @Test func `properties are kept, and begin as documented`() {
        let context = LAContext()
        #expect(context.localizedFallbackTitle == nil && context.localizedCancelTitle == nil)
        #expect(context.localizedReason == "" && !context.interactionNotAllowed)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 0 && context.maxBiometryFailures == nil)
        context.localizedFallbackTitle = ""
        context.localizedCancelTitle = "No"
        context.localizedReason = "to see"
        context.touchIDAuthenticationAllowableReuseDuration = 10_000
        context.maxBiometryFailures = 3
        #expect(context.localizedFallbackTitle == "" && context.localizedCancelTitle == "No")
        #expect(context.localizedReason == "to see" && context.maxBiometryFailures == 3)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 10_000)
    }

    @Test(arguments: [1, 300, .infinity, .nan, -1] as [TimeInterval])
    func `a duration for reuse proves nothing to a keychain that nobody tells of unlocking`(seconds: TimeInterval) async
    {
        let context = LAContext()
        context.touchIDAuthenticationAllowableReuseDuration = seconds
        for (policy, obstacle) in Self.obstacles {
            #expect(await code { try await context.evaluatePolicy(policy, localizedReason: "sign in") } == obstacle)
        }
    }

    // MARK: - Subclasses, as tests of applications make them

    private final class Stub: LAContext {
        var answer = true
        override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool { answer }
        override func evaluatePolicy(
            _ policy: LAPolicy,
            localizedReason: String,
            reply: @escaping (Bool, (any Error)?) -> Void
        ) {
            reply(answer, answer ? nil : LAError(.userFallback))
        }
        override func evaluateAccessControl(
            _ accessControl: SecAccessControl,
            operation: LAAccessControlOperation,
            localizedReason: String,
            reply: @escaping (Bool, (any Error)?) -> Void
        ) {
            reply(answer, answer ? nil : LAError(.systemCancel))
        }
        override func invalidate() { answer = false }
        override func setCredential(_ credential: Data?, type: LACredentialType) -> Bool { answer }
        override func isCredentialSet(_ type: LACredentialType) -> Bool { answer }
        override var biometryType: LABiometryType { .faceID }
        override var evaluatedPolicyDomainState: Data? { Data([1]) }
        override var localizedReason: String {
            get { "stub" }
            set {}
        }
        override var interactionNotAllowed: Bool {
            get { false }
            set {}
        }
        override var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
            didSet { answer = false }
        }
    }

    @Test func `a subclass overrides everything, and the asynchronous form follows the closure's`() async throws {
        let stub = Stub()
        let context: LAContext = stub
        #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x"))
        #expect(
            try await context.evaluateAccessControl(
                accessControl(.userPresence),
                operation: .useItem,
                localizedReason: "x"
            )
        )
        #expect(context.biometryType == .faceID && context.evaluatedPolicyDomainState == Data([1]))
        context.localizedReason = "x"
        #expect(context.localizedReason == "stub")
        context.touchIDAuthenticationAllowableReuseDuration = 1
        #expect(
            await code { try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x") }
                == .userFallback
        )
    }

    private final class AsynchronousStub: LAContext {
        override func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { true }
    }

    @Test func `a subclass may override the asynchronous form alone`() async throws {
        #expect(try await AsynchronousStub().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x"))
    }
}
