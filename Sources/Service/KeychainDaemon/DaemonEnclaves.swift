import EnclaveClient
import EnclaveInterface
import EnclaveServer
import FingerPrompting
import Glibc
import KeychainModel
import KeychainPrompting
import KeychainServer
import KeychainSystem
import LocalEnclave
import Logging
import TPMEnclave

/// Where the service's keychains have their keys: in another process, or, in session mode, here.
struct DaemonEnclaves {
    let folders: UserKeychains.EnclaveFolders
    /// The connection to an enclave that lives and dies with the service.
    let startedEnclave: Int32?
    /// How its keychains are locked with their users' sessions.
    let locks: SessionWatch.Locks
    private let control: Control?
    /// Keeps other services from binding the path for as long as this one runs.
    private let owners: ListeningSocket?

    /// Takes passcodes in this process.
    private struct Control {
        let socket: ListeningSocket
        let service: EnclaveService
    }

    init(_ enclave: PreparedDaemon.Enclave, folder: ServiceFolder, log: Logger) throws(KeychainError) {
        switch enclave {
        case .remote(let connection, let owners):
            self.owners = owners
            try connection.start()
            startedEnclave = connection.connectedSocket?.number
            control = nil
            locks = SessionWatch.Locks(
                lock: { (uid) throws(KeychainError) in try connection.lock(uid) },
                logOut: { (uid) throws(KeychainError) in try connection.logOut(uid) },
                lockForSleep: { () throws(KeychainError) in try connection.lockForSleep() }
            )
            folders = { uid, name, _ in
                RemoteEnclaveFolder(connection, uid: name.map(Self.uncheckedUser) ?? uid)
            }
        case .local(let place, let tpm, let asks, let pinentry):
            owners = nil
            startedEnclave = nil
            let own = geteuid()
            let local = LocalEnclaveFolder(
                path: folder.path,
                credentials: folder.credentials,
                hardware: tpm == .none ? nil : TPMHardware(TPMDevice(tpm), isForNewKeychains: true),
                log: { log.warning("\($0)") }
            )
            let table = EnclaveTable(UserEnclaves(local))
            let credentials = folder.credentials
            folders = { uid, name, path in
                // Only tests have keychains of other names.
                guard name == nil else { return LocalEnclaveFolder(path: path, credentials: credentials) }
                return ServedFolder(local, of: uid, in: table)
            }
            locks = SessionWatch.Locks(
                onlyUser: own,
                lock: { (uid) throws(KeychainError) in try table.enclave(of: uid).lock() },
                logOut: { (uid) throws(KeychainError) in try table.enclave(of: uid).logOut() },
                lockForSleep: { table.lockForSleep() }
            )
            control = try Self.serve(table, at: place, onlyTo: own, log: log)
            // Who reads the service's memory, as the user's programs may here, reads the keys too: the reader's word is worth
            // as much as the rest.
            let fingers = FingerprintPrompter(uid: own) { () throws(KeychainError) in try table.desk(of: own) }
            _ = try table.register(for: .biometry, of: own) { _ in fingers }
            let prompter = try? PinentryPrompter(
                path: pinentry,
                desk: { () throws(KeychainError) in try table.desk(of: own) }
            )
            if asks, let prompter {
                _ = try table.register(for: .typing, of: own) { _ in prompter }
            }
        }
    }

    private static func serve(
        _ table: EnclaveTable,
        at place: SocketPlace,
        onlyTo uid: UInt32,
        log: Logger
    ) throws(KeychainError) -> Control {
        let socket = try place.listen(for: .owner, kind: .packets)
        _ = fcntl(socket.descriptor, F_SETFL, fcntl(socket.descriptor, F_GETFL) | O_NONBLOCK)
        var sockets = EnclaveService.Sockets()
        sockets.ownerListener = socket.descriptor
        sockets.onlyUser = uid
        let service = try EnclaveService(sockets, table: table, tellsService: false) { log.warning("\($0)") }
        try service.start()
        return Control(socket: socket, service: service)
    }

    func stop() {
        control?.service.stop()
        control?.socket.close()
    }

    /// Keychains of tests have no user of their own, and the enclave knows nothing but users: numbers that no user has.
    private static func uncheckedUser(_ keychain: String) -> UInt32 {
        keychain.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 } | 1 << 31
    }
}
