import KeychainEnclave
package import KeychainModel
import Synchronization

/// Serves enclaves: to the keychain service over its connections, and to owners over a listening socket.
///
/// One thread answers all that takes microseconds; two more, made before it begins, do what takes longer: one the
/// passcodes, one what waits for the disk or for the keychain service. No thread is made after that.
package final class EnclaveService: Sendable {
    package struct Sockets: Sendable {
        /// The keychain service's first connection, made before; when it ends, so does `run`.
        package var service: PacketSocket?
        /// Where the keychain service connects, and its uid: nobody else is answered.
        package var serviceListener: (descriptor: Int32, uid: UInt32)?
        /// Where owners connect.
        package var ownerListener: Int32?
        /// The uid of who reads fingers, of all users, and connects as owners do; it can have no keychain of its own.
        package var prompter: UInt32?
        /// The uid of chatelaine-identify, which connects as owners do; it can have no keychain of its own.
        package var witness: UInt32?
        /// The one user whose keychain is served; nil for all.
        package var onlyUser: UInt32?

        package init() {}
    }

    let sockets: Sockets
    let table: EnclaveTable
    let relay: EventRelay
    let deliveries: EnclaveDeliveries
    let passcodes: EnclaveWorker
    let changes: EnclaveWorker
    let log: @Sendable (String) -> Void
    let hasToEnd: @Sendable () -> Bool
    let isStopping = Atomic<Bool>(false)

    /// - Parameters:
    ///   - tellsService: whether the keychain service is another process, which has to hear of changes.
    ///   - hasToEnd: whether something was lost that only another start of the process brings back; asked after each
    ///     answer that took its time. Then `run` returns.
    package init(
        _ sockets: Sockets,
        table: EnclaveTable,
        tellsService: Bool = true,
        hasToEnd: @escaping @Sendable () -> Bool = { false },
        log: @escaping @Sendable (String) -> Void
    ) throws(KeychainError) {
        self.sockets = sockets
        self.table = table
        self.hasToEnd = hasToEnd
        self.log = log
        let deliveries = EnclaveDeliveries(wake: try WakeUp())
        self.deliveries = deliveries
        relay = try EventRelay(threads: 2) { deliveries.add($0) }
        passcodes = try EnclaveWorker(most: 512, mostOfUser: 128)
        changes = try EnclaveWorker(most: 1024, mostOfUser: 64)
        let relay = relay
        if tellsService { table.tellOfChanges { relay.tell($0, $1) } }
    }

    /// Runs on a thread of its own.
    package func start() throws(KeychainError) {
        try DetachedThread.start { [self] in run() }
    }

    /// Has `run` return.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        deliveries.wake.signal()
    }

    /// Answers until it is stopped, has to end, or the keychain service is gone that started it.
    package func run() {
        var loop = EnclaveLoop(self)
        loop.run()
    }

    // MARK: - What takes longer

    /// Has each keychain look at the time, which locks those that were not used for long.
    func lockWhatIsOverdue() {
        let table = table
        try? changes.add(EnclaveWorker.Job(uid: 0) { for enclave in table.all { _ = try? enclave.state() } })
    }

    /// - Parameter connection: that the request came over.
    func perform(
        _ request: EnclaveRequest,
        about uid: UInt32,
        isRoot: Bool,
        on connection: UInt64
    ) -> EnclaveReply {
        do throws(KeychainError) {
            switch request {
            case .presence: return .presence(try table.presence(of: uid))
            case .create:
                try table.create(for: uid)
                return .done
            case .presenceStatus: return .presenceStatus(try table.presenceStatus(of: uid))
            case .state, .serviceKeys, .wrap, .unwrap, .rewrap, .forget, .makeKey, .useKey:
                return EnclaveLoop.reply(to: request, try table.enclave(of: uid))
            case .openContext(let groups):
                // A program is told its groups in full.
                guard !groups.contains(where: { $0.hasSuffix("*") }) else {
                    throw KeychainError(.noPermission, "a context is for access groups that are named in full")
                }
                return .context(try table.desk(of: uid).openContext(groups, on: connection))
            case .closeContext(let context): try table.desk(of: uid).closeContext(context, on: connection)
            case .beginRotation(let token): return .state(try table.enclave(of: uid).beginRotation(token))
            case .finishRotation(let generation):
                return .state(try table.enclave(of: uid).finishRotation(of: generation))
            case .redeem(let token, let operation): try table.enclave(of: uid).redeem(token, for: operation)
            case .backupKey(let backup): return .key(try table.enclave(of: uid).deviceKey(ofBackup: backup))
            case .sign(let digest): return .bytes(try table.enclave(of: uid).sign(backupDigest: digest))
            case .backupSigner: return .bytes(try table.enclave(of: uid).backupSigner())
            case .lock: try table.enclave(of: uid).lock()
            case .logOut: try table.enclave(of: uid).logOut()
            case .sleep: table.lockForSleep()
            case .unlock(let passcode): try control(uid, isRoot).unlock(passcode)
            case .changePasscode(let old, let new, let token):
                try control(uid, isRoot).changePasscode(from: old, to: new, with: token)
            case .confirmPasscode(let passcode, let token):
                try control(uid, isRoot).confirmPasscode(passcode, with: token)
            case .verify(let passcode): try control(uid, isRoot).verify(passcode)
            case .authorize(let operation, let passcode):
                return .token(try control(uid, isRoot).authorize(operation, passcode: passcode))
            case .change(let settings, let passcode, let token):
                try control(uid, isRoot).change(settings, passcode: passcode, with: token)
            case .answerPasscode(let passcode, let question):
                return .answer(try table.desk(of: uid).answer(question, passcode: passcode))
            case .answerPassword(let password, let question):
                return .answer(try table.desk(of: uid).answer(question, password: password))
            case .decline(let question, let failure, let abilities):
                try table.desk(of: uid).decline(question, because: failure, of: abilities)
            case .matched(let question): return .answer(try table.desk(of: uid).matched(question))
            case .mismatched(let question): return .answer(try table.desk(of: uid).mismatched(question))
            case .openChannel, .acknowledge, .ask, .attend, .hint, .saw, .vouch:
                throw KeychainError(.internalError, "a request that is answered elsewhere")
            }
            return .done
        } catch {
            return .failure(error)
        }
    }

    private func control(_ uid: UInt32, _ isRoot: Bool) throws(KeychainError) -> any EnclaveControl {
        try table.control(of: uid, isRoot: isRoot)
    }
}
