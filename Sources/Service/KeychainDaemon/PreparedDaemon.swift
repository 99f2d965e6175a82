import CKeychainLinux
package import CodeSignature
import EnclaveClient
import EnclaveInterface
import Glibc
import KeychainAccounts
package import KeychainModel
import KeychainProtocol
package import KeychainServer
import KeychainSystem
package import PeerIdentity
import TPMEnclave

/// What has to be done while the process has one thread, and maybe all rights: sockets, the process that looks at
/// others, and then giving up what the service does not need.
package struct PreparedDaemon {
    package let options: DaemonOptions
    /// What a gatekeeper is made of.
    package let gate: Gate
    let listener: ListeningSocket
    let directory: String
    let enclave: Enclave

    /// Where keys are.
    enum Enclave {
        /// In this process, which takes passcodes there.
        case local(control: SocketPlace, tpm: TPMSetting, asks: Bool, pinentry: String?)
        /// In another process; with the socket that owners connect to, where this one has bound it.
        case remote(EnclaveConnection, owners: ListeningSocket?)
    }

    package struct Gate: Sendable {
        package let mode: PeerGatekeeper.Mode
        package let witness: any PeerWitness
        package let verdicts: VerdictCache
        /// The end of a connection without which no client can be admitted; nil where there is none.
        let helper: Descriptor?
    }

    package init(_ options: DaemonOptions) throws(KeychainError) {
        self.options = options
        let sockets = Supervisor.takeSockets()
        guard sockets.clients.count <= 1, sockets.control.count <= (options.mode == .session ? 1 : 0) else {
            throw KeychainError(
                .invalidParameter,
                "the service listens on one socket, and in session mode on another one for passcodes; it was given "
                    + "\(sockets.clients.count) and \(sockets.control.count)"
            )
        }
        Self.raiseDescriptorLimit()
        switch options.serviceMode {
        case .session:
            if let folder = options.directory { directory = folder } else { directory = try SessionPlaces.directory() }
            listener = try Self.listen(sockets, options, orAt: SessionPlaces.socket(), for: .owner)
            let control: SocketPlace =
                if let socket = sockets.control.first {
                    .descriptor(socket)
                } else {
                    .path(try Self.controlSocket(options, beside: options.socket))
                }
            enclave = .local(
                control: control,
                tpm: options.tpmSetting,
                asks: options.asksPeople,
                pinentry: options.pinentry
            )
            gate = Gate(
                mode: .session(uid: geteuid()),
                witness: LocalWitness(),
                verdicts: Self.verdicts(options, owner: .rootOrOneself),
                helper: nil
            )
            try Self.harden()
        case .system:
            directory = options.directory ?? "/var/lib/chatelaine"
            listener = try Self.listen(sockets, options, orAt: Self.systemSocket, for: .everybody)
            let markerGroup = try SystemAccount.group(options.markerGroup)
            let helper: Descriptor
            if geteuid() == 0 {
                let path = try Self.controlSocket(options, beside: options.socket ?? Self.systemSocket)
                helper = try IdentifyHelper.start(
                    user: options.identifyUser,
                    markerGroup: markerGroup,
                    enclave: path
                )
                let owners = try SocketPlace.path(path).listen(for: .everybody, kind: .packets)
                let connected = try EnclaveHelper.start(
                    user: options.enclaveUser,
                    directory: options.enclaveDirectory,
                    tpm: options.tpmSetting.description,
                    prompter: try options.prompter,
                    witness: options.identifyUser,
                    owners: owners
                )
                // The path stays: a process that has given up root cannot remove it. The next service replaces it.
                enclave = .remote(EnclaveConnection(.connected(connected)), owners: owners)
                try Self.becomeUser(options.user, owning: directory)
            } else {
                helper = try IdentifyHelper.connect(options.identifySocket)
                let connection = EnclaveConnection(.listener(path: options.enclaveSocket, uid: nil))
                enclave = .remote(connection, owners: nil)
                try Self.check(clinux_become(geteuid(), getegid(), 0), "capabilities cannot be given up")
            }
            try Self.harden()
            gate = Gate(
                mode: .system(markerGroup: markerGroup),
                witness: RemoteWitness(helper),
                verdicts: Self.verdicts(options, owner: .root),
                helper: helper
            )
        }
    }

    private static let systemSocket = "/run/chatelaine/keychain.sock"

    private static func controlSocket(
        _ options: DaemonOptions,
        beside socket: String?
    ) throws(KeychainError) -> String {
        if let path = options.controlSocket { return path }
        let socket = socket ?? SessionPlaces.socket()
        guard let end = socket.lastIndex(of: "/") else {
            throw KeychainError(.invalidParameter, "the socket's path has to begin with /")
        }
        return socket[...end] + EnclavePlaces.controlSocketName
    }

    private static func verdicts(_ options: DaemonOptions, owner: TrustedTeams.Owner) -> VerdictCache {
        VerdictCache(SignatureVerifier(teams: TrustedTeams(directory: options.teams, owner: owner)))
    }

    /// The socket that systemd has opened, or the one of the options, or the well-known one, whose folder need not be there.
    private static func listen(
        _ handed: Supervisor.Sockets,
        _ options: DaemonOptions,
        orAt standard: String,
        for audience: ListeningSocket.Audience
    ) throws(KeychainError) -> ListeningSocket {
        if let socket = handed.clients.first { return try SocketPlace.descriptor(socket).listen(for: audience) }
        if let path = options.socket { return try SocketPlace.path(path).listen(for: audience) }
        // In system mode others have to get through it; only the owner may write to it.
        _ = unsafe mkdir(Folder.path(of: standard), audience == .everybody ? 0o755 : 0o700)
        return try SocketPlace.path(standard).listen(for: audience)
    }

    /// Files are descriptors, and connections and keychains need several each.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    // MARK: - Rights

    /// Leaves root for good, and takes the folder along if it had to be made.
    private static func becomeUser(_ name: String, owning directory: String) throws(KeychainError) {
        let account = try SystemAccount.user(name)
        guard account.uid != 0 else {
            throw KeychainError(.invalidParameter, "the service does not run as root; name another user")
        }
        if unsafe mkdir(directory, 0o700) == 0 {
            guard unsafe chown(directory, account.uid, account.gid) == 0 else {
                throw KeychainError(errno: errno, "the folder \(directory) cannot be given to \(name)")
            }
        }
        try check(clinux_become(account.uid, account.gid, 0), "the rights of root cannot be given up")
    }

    private static func harden() throws(KeychainError) {
        try check(clinux_harden(), "the process cannot be closed to others")
    }

    private static func check(_ result: Int32, _ message: String) throws(KeychainError) {
        guard result == 0 else { throw KeychainError(errno: result, message) }
    }
}

/// The places of a user's own service.
enum SessionPlaces {
    /// The folder of the keychain in this process's user's home, which programs without a service use too.
    static func directory() throws(KeychainError) -> String {
        guard let folder = PersonalPlaces.keychain(variable) else {
            throw KeychainError(.invalidParameter, "there is no home; name a folder by --directory")
        }
        return folder
    }

    static func socket() -> String {
        PersonalPlaces.socket(in: variable("XDG_RUNTIME_DIR"), otherwise: "/run/user/\(geteuid())")
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
