import EnclaveInterface
package import KeychainModel
package import KeychainSystem
import Synchronization

/// Serves enclaves: to the keychain service over its connections, and to owners over a listening socket.
///
/// One thread answers all that takes microseconds; two more, made before it begins, do what takes longer: one the
/// passcodes, one what waits for the disk or for the keychain service. No thread is made after that.
package final class EnclaveService: Sendable {
    package struct Sockets: Sendable {
        /// The keychain service's first connection, made before; when it ends, so does `run`.
        package var service: PacketSocket?
        /// Where the keychain service connects, and its uid: no other uid is answered.
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
        let deliveries = EnclaveDeliveries(wake: try KeychainError.translating { try WakeUp() })
        self.deliveries = deliveries
        relay = try EventRelay(threads: 2) { deliveries.add($0) }
        passcodes = try EnclaveWorker(most: 512, mostOfUser: 128)
        changes = try EnclaveWorker(most: 1024, mostOfUser: 64)
        let relay = relay
        if tellsService { table.tellOfChanges { relay.tell($0, $1) } }
    }

    /// Runs on a thread of its own.
    package func start() throws(KeychainError) {
        try KeychainError.translating { try DetachedThread.start { [self] in run() } }
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
}
