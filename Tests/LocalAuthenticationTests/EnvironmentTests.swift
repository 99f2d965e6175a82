import EnclaveInterface
import KeychainClient
import KeychainModel
import Synchronization
import Testing

@testable import LocalAuthentication

@Suite("The environment", .timeLimit(.minutes(5)), .withEmptyKeychain)
struct EnvironmentTests {
    /// A machine of which the test says by what people can be told.
    private final class Machine: PresenceService {
        private let obstacles = Mutex<[LAPolicy: LAError.Code]>([:])
        private let looks = Mutex(0)
        private let set = Mutex<Data?>(nil)
        private let type = Mutex(LABiometryType.touchID)

        var biometryType: LABiometryType {
            get { type.withLock(\.self) }
            set { type.withLock { $0 = newValue } }
        }

        var biometrySet: Data? {
            get { set.withLock(\.self) }
            set { set.withLock { $0 = newValue } }
        }

        /// How often anybody has looked.
        var count: Int { looks.withLock(\.self) }

        func obstacle(to policy: LAPolicy) -> LAError? {
            if policy == .deviceOwnerAuthenticationWithBiometrics { looks.withLock { $0 += 1 } }
            return obstacles.withLock { $0[policy] }.map { LAError($0) }
        }

        func set(_ obstacle: LAError.Code?, to policy: LAPolicy) { obstacles.withLock { $0[policy] = obstacle } }
        func makeContext() -> (any AnyObject & Sendable)? { nil }
        func evaluate(
            _ question: ContextQuestion,
            _ wishes: PresenceWishes,
            in context: (any AnyObject & Sendable)?,
            reply: @escaping @Sendable (LAError?) -> Void
        ) {}
    }

    /// Writes down what it is told.
    private final class Listener: NSObject, LAEnvironment.Observer, Sendable {
        private let told = Mutex<[(old: LAEnvironment.State, new: LAEnvironment.State)]>([])

        func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: LAEnvironment.State) {
            let new = environment.state
            told.withLock { $0.append((oldState, new)) }
        }

        var all: [(old: LAEnvironment.State, new: LAEnvironment.State)] { told.withLock(\.self) }

        func wait(for count: Int) async -> Bool {
            for _ in 0..<1_000 {
                if all.count >= count { return true }
                try? await Task.sleep(for: .milliseconds(10))
            }
            return false
        }
    }

    private static let brief = Duration.milliseconds(20)

    private func environment(_ machine: Machine) -> LAEnvironment {
        LAEnvironment(presence: machine, period: Self.brief)
    }

    /// Whether there is a time without a look that is long enough for ten.
    private func looksEnd(at machine: Machine) async throws -> Bool {
        for _ in 0..<50 {
            let count = machine.count
            try await Task.sleep(for: Self.brief * 10)
            if machine.count == count { return true }
        }
        return false
    }

    // MARK: - The state

    @Test func `a finger that can be read is a mechanism with its state, and the passcode one beside it`() throws {
        let machine = Machine()
        machine.biometrySet = Data([1, 2])
        let state = environment(machine).state
        let biometry = try #require(state.biometry)
        #expect(biometry.isUsable && biometry.isEnrolled && !biometry.isLockedOut)
        #expect(biometry.biometryType == .touchID && biometry.stateHash == Data([1, 2]))
        #expect(!biometry.builtInSensorInaccessible)
        let password = try #require(state.userPassword)
        #expect(password.isUsable && password.isSet)
        #expect(state.companions.isEmpty)
        #expect(state.allMechanisms == [biometry, password])
        for mechanism in state.allMechanisms {
            #expect(!mechanism.localizedName.isEmpty && !mechanism.iconSystemName.isEmpty)
        }
    }

    @Test(arguments: [
        (LAError.Code.biometryNotEnrolled, false, false), (.biometryLockout, true, true),
        (.notInteractive, true, false),
    ])
    func `what is in a finger's way is told apart`(obstacle: LAError.Code, isEnrolled: Bool, isLockedOut: Bool) throws {
        let machine = Machine()
        machine.set(obstacle, to: .deviceOwnerAuthenticationWithBiometrics)
        let biometry = try #require(environment(machine).state.biometry)
        #expect(!biometry.isUsable && biometry.isEnrolled == isEnrolled && biometry.isLockedOut == isLockedOut)
        #expect(biometry.stateHash.isEmpty)
    }

    @Test func `without a reader there is no biometry, and without a passcode one that is not set`() throws {
        let machine = Machine()
        machine.biometryType = .none
        machine.set(.biometryNotAvailable, to: .deviceOwnerAuthenticationWithBiometrics)
        machine.set(.passcodeNotSet, to: .deviceOwnerAuthenticationWithWristDetection)
        let state = environment(machine).state
        #expect(state.biometry == nil)
        let password = try #require(state.userPassword)
        #expect(!password.isSet && !password.isUsable)
        #expect(state.allMechanisms == [password])
    }

    @Test func `states are equal as long as nothing changes, and a copy is the same`() throws {
        let machine = Machine()
        let environment = environment(machine)
        let first = environment.state
        #expect(first == environment.state && first.hash == environment.state.hash)
        #expect(first.copy() as? LAEnvironment.State == first)
        machine.biometrySet = Data([9])
        #expect(first != environment.state)
    }

    // MARK: - Observers

    @Test func `an observer is told of each change once, with the state before, and no more once it is removed`() async
    {
        let machine = Machine()
        let environment = environment(machine)
        let (first, second) = (Listener(), Listener())
        environment.addObserver(first)
        environment.addObserver(first)
        environment.addObserver(second)
        machine.set(.biometryNotEnrolled, to: .deviceOwnerAuthenticationWithBiometrics)
        #expect(await first.wait(for: 1))
        #expect(await second.wait(for: 1))
        environment.removeObserver(second)
        environment.removeObserver(second)
        machine.set(nil, to: .deviceOwnerAuthenticationWithBiometrics)
        #expect(await first.wait(for: 2))
        // Some more looks, which find no change.
        try? await Task.sleep(for: Self.brief * 5)
        #expect(first.all.map(\.old.biometry?.isEnrolled) == [true, false])
        #expect(first.all.map(\.new.biometry?.isEnrolled) == [false, true])
        #expect(second.all.count == 1)
    }

    @Test func `nobody looks where nobody observes, and an observer is not kept`() async throws {
        let machine = Machine()
        let environment = environment(machine)
        try await Task.sleep(for: Self.brief * 3)
        #expect(machine.count == 0)
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            environment.addObserver(listener)
            environment.removeObserver(Listener())
            machine.biometrySet = Data([1])
            #expect(await listener.wait(for: 1))
        }
        #expect(gone == nil)
        // The look that finds it gone is the last one.
        #expect(try await looksEnd(at: machine))
        // Whoever comes after that is told as ever.
        let listener = Listener()
        environment.addObserver(listener)
        machine.biometrySet = Data([2])
        #expect(await listener.wait(for: 1))
    }

    @Test func `an environment that is gone tells nobody`() async throws {
        let machine = Machine()
        let listener = Listener()
        do {
            let environment = environment(machine)
            environment.addObserver(listener)
        }
        machine.biometrySet = Data([1])
        try await Task.sleep(for: Self.brief * 10)
        #expect(listener.all.isEmpty)
    }

    /// Observers come and go on many threads while something changes.
    @Test func `observers on many threads at once are added and removed`() async throws {
        let machine = Machine()
        let environment = environment(machine)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<16 as Range<UInt8> {
                group.addTask {
                    for _ in 0..<50 {
                        let listener = Listener()
                        environment.addObserver(listener)
                        machine.biometrySet = Data([number])
                        environment.removeObserver(listener)
                    }
                }
            }
        }
        #expect(try await looksEnd(at: machine))
    }

    // MARK: - A real keychain

    /// A test's own keychain, also for code that runs on other threads than the test's.
    private struct OwnKeychain: PresenceService {
        let keychain: EmbeddedKeychain

        private func own<Value>(_ body: (KeychainPresence) -> Value) -> Value {
            CurrentKeychain.$override.withValue(keychain) { body(KeychainPresence()) }
        }

        var biometryType: LABiometryType { own(\.biometryType) }
        var biometrySet: Data? { own(\.biometrySet) }
        var snapshot: PresenceSnapshot { own(\.snapshot) }
        func obstacle(to policy: LAPolicy) -> LAError? { own { $0.obstacle(to: policy) } }
        func makeContext() -> (any AnyObject & Sendable)? { own { $0.makeContext() } }
        func evaluate(
            _ question: ContextQuestion,
            _ wishes: PresenceWishes,
            in context: (any AnyObject & Sendable)?,
            reply: @escaping @Sendable (LAError?) -> Void
        ) { own { $0.evaluate(question, wishes, in: context, reply: reply) } }
    }

    @Test func `the passcode of a keychain is set, and whoever observes is told`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "environment-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keychain = EmbeddedKeychain(
            .embedded(directory: folder.path),
            caller: Caller(name: "test", groups: AccessGroups(["test.default"])),
            pinentry: .none
        )
        let environment = LAEnvironment(presence: OwnKeychain(keychain: keychain), period: Self.brief)
        #expect(environment.state.userPassword?.isSet == false)
        let listener = Listener()
        environment.addObserver(listener)
        try keychain.makeKeychain()
        let control = try keychain.control()
        try control.changePasscode(from: nil, to: SecretBytes(Array("open sesame".utf8)))
        #expect(await listener.wait(for: 1))
        let change = try #require(listener.all.first)
        #expect(change.old.userPassword?.isSet == false && change.new.userPassword?.isSet == true)
        // Nobody can be asked for it, and nothing reads fingers.
        #expect(environment.state.userPassword?.isUsable == false)
        #expect(environment.state.biometry == nil)
    }

    @Test func `the environment of a user is one, and says what a context says`() {
        #expect(LAEnvironment.currentUser === LAEnvironment.currentUser)
        let state = LAEnvironment.currentUser.state
        #expect(state.biometry == nil && LAContext().biometryType == .none)
        #expect(state.userPassword?.isSet == false)
        #expect(state.userPassword?.isUsable == LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
    }
}
