import CKeychainLinux
import EnclaveServer
import Glibc
import KeychainModel
import KeychainSystem
import LocalEnclave
import TPMEnclave

/// The process that holds the keys of all users' keychains.
enum EnclaveProcess {
    /// For all users' files; one is open at a time.
    private static let mostDescriptors: rlim_t = 1024

    /// Returns when the service has gone that started this process.
    ///
    /// - Throws: where it cannot begin, or cannot go on.
    static func run(_ options: EnclaveOptions) throws {
        try makeFolder(options)
        // The device is root's and its group's.
        let hardware = openTPM(options.tpm)
        try giveUpRights(options)
        var sockets = EnclaveService.Sockets()
        if let number = options.connected { sockets.service = PacketSocket(owning: number) }
        if let listener = options.serviceListener, let server = options.server {
            sockets.serviceListener = (listener, server)
        }
        sockets.ownerListener = options.ownerListener
        sockets.prompter = options.prompter
        sockets.witness = options.witness
        for listener in [options.serviceListener, options.ownerListener] {
            // A connection that is gone before it is taken would make the loop wait.
            if let listener { _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK) }
        }
        let credentials = unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
        let arena = SecretArena()
        if let weakness = arena.weakness { complain(weakness) }
        let service = try EnclaveService(
            sockets,
            table: EnclaveTable(
                UserEnclaves(directory: options.directory) { (path, uid) throws(KeychainError) in
                    LocalEnclaveFolder(
                        path: path,
                        credentials: credentials,
                        owner: uid,
                        hardware: hardware,
                        arena: arena,
                        log: complain
                    )
                }
            ),
            hasToEnd: { hardware.device.isLost },
            log: complain
        )
        try WarmUp.run(arena: arena)
        notify("READY=1")
        try check(clinux_enter_enclave(), "system calls cannot be filtered")
        service.run()
        if hardware.device.isLost {
            // Nothing can be opened any more under the filter. Its supervisor starts it again.
            throw EnclaveOptions.Refusal(
                description:
                    "the connection to the TPM at \(hardware.device.place) broke; this process has to be started anew"
            )
        }
    }

    /// Opened and used once before system calls are filtered; nothing of it is opened afterwards.
    private static func openTPM(_ setting: TPMSetting) -> TPMHardware {
        let device = TPMDevice(setting)
        do throws(TPMFailure) {
            try device.settle()
        } catch {
            // None was asked for.
            let isExpected = (setting == .automatic && error.reason == .absent) || setting == .none
            if !isExpected { complain(error.sentence(at: device.place)) }
        }
        return TPMHardware(device, isForNewKeychains: true)
    }

    private static func makeFolder(_ options: EnclaveOptions) throws {
        guard unsafe mkdir(options.directory, 0o700) == 0 else { return }
        try check(
            unsafe chown(options.directory, options.uid, options.gid) == 0 ? 0 : errno,
            "the folder \(options.directory) cannot be given away"
        )
    }

    private static func giveUpRights(_ options: EnclaveOptions) throws {
        try check(clinux_become(options.uid, options.gid, 0), "rights cannot be given up")
        try check(clinux_harden(), "the process cannot be closed to others")
        var limit = rlimit(rlim_cur: mostDescriptors, rlim_max: mostDescriptors)
        try check(
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? 0 : errno,
            "the number of descriptors cannot be limited"
        )
    }

    private static func check(_ result: Int32, _ message: String) throws {
        guard result == 0 else {
            throw EnclaveOptions.Refusal(description: "\(message): \(unsafe String(cString: strerror(result)))")
        }
    }

    private static func notify(_ message: String) {
        guard let path = unsafe getenv("NOTIFY_SOCKET") else { return }
        unsafe clinux_notify(path, message)
    }

    static func complain(_ message: String) {
        let line = Array("chatelaine-enclave: \(message)\n".utf8)
        _ = unsafe write(STDERR_FILENO, line, line.count)
    }
}
