package import EnclaveInterface
import Glibc
import KeychainFiles
package import KeychainModel

/// The folder of an enclave that runs in this process: the device key, the keybag and the count of wrong passcodes.
package struct LocalEnclaveFolder: EnclaveFolder {
    package let path: String
    /// Nil where the folder says itself.
    private let given: (any DeviceBinding)?
    private let bindings: DeviceBindings
    private let sharing: Sharing
    private let cost: PasscodeCost
    private let arena: any KeyArena
    private let unattended: UnattendedPasscode?
    private let log: @Sendable (String) -> Void
    /// Whether a service keeps the owner's programs apart.
    package var keepsProgramsApart = false

    /// The other processes that may open the folder.
    package enum Sharing: Sendable {
        /// None while this process has it.
        case none
        /// Other processes of the same user, which share what is unlocked.
        case embedded
    }

    /// - Parameters:
    ///   - binding: where the device key is; nil where the folder, the credentials and the hardware are to say.
    ///   - credentials: where systemd has put the service's credentials, if it has. One of ours comes before the file.
    ///   - unlocksUnattended: whether a passcode among them unlocks the keychain.
    ///   - owner: whose keychain it is, which says which passcode among the credentials is theirs; nil for this
    ///     process's user.
    ///   - hardware: what may seal the device key; nil for none.
    ///   - cost: what a new passcode costs to try.
    ///   - log: is told why a passcode that systemd handed over opened nothing.
    package init(
        path: String,
        binding: (any DeviceBinding)? = nil,
        credentials: String? = nil,
        unlocksUnattended: Bool = true,
        owner: UInt32? = nil,
        hardware: (any DeviceHardware)? = nil,
        sharing: Sharing = .none,
        cost: PasscodeCost = .usual,
        arena: any KeyArena = HeapArena(),
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.path = path
        given = binding
        bindings = DeviceBindings(
            forKeyAt: Self.deviceKeyPath(in: path),
            credentials: credentials,
            hardware: hardware
        )
        self.sharing = sharing
        self.cost = cost
        self.arena = arena
        unattended =
            unlocksUnattended ? credentials.map { UnattendedPasscode(credentials: $0, of: owner ?? geteuid()) } : nil
        self.log = log
    }

    private var binding: any DeviceBinding { given ?? bindings.chosen }

    private static func deviceKeyPath(in folder: String) -> String { folder + "/device.key" }

    package var deviceKeyPath: String { Self.deviceKeyPath(in: path) }
    package var keybagPath: String { path + "/keybag" }

    /// A device key that lies elsewhere is no file of the keychain's.
    package var files: [String] {
        (binding.kind.hasFile ? [deviceKeyPath] : []) + [keybagPath]
    }

    package func presence() throws(KeychainError) -> EnclavePresence {
        // Only what lies in the folder says that a keychain was here.
        let hasKeyFile = Self.exists(deviceKeyPath)
        return switch (!binding.kind.hasFile || hasKeyFile, Self.exists(keybagPath)) {
        case (true, true): .complete
        case (_, false): hasKeyFile ? .incomplete(missing: keybagPath) : .none
        case (false, true): .incomplete(missing: deviceKeyPath)
        }
    }

    package func create() throws(KeychainError) {
        let binding = binding
        let deviceKey = if let existing = try binding.deviceKey() { existing } else { try binding.makeDeviceKey() }
        guard !Self.exists(keybagPath) else { return }
        var keybag = try Keybag(creatingUnder: deviceKey)
        if let counter = binding.rollbackCounter { keybag.counter = try counter.start() }
        try SecureFile.write(SecretBytes(keybag.file(under: deviceKey)), to: keybagPath)
    }

    package func open() throws(KeychainError) -> any Enclave { try openLocal() }

    /// The same, for callers that bring passcodes too.
    package func openLocal() throws(KeychainError) -> LocalEnclave {
        let binding = binding
        // Said here by its name. Opening it is left to the enclave: a TPM takes its time.
        if binding.kind.hasFile && !Self.exists(deviceKeyPath) { throw KeychainError.missing(deviceKeyPath) }
        let enclave = try LocalEnclave(
            FolderStorage(path, isShared: sharing == .embedded),
            device: binding,
            arena: arena,
            cost: cost,
            keepsProgramsApart: keepsProgramsApart,
            sharedBy: { sharing == .embedded ? UnlockedFile(keybag: $0) : nil }
        )
        unlockUnattended(enclave)
        return enclave
    }

    /// A passcode that opens nothing leaves the keychain locked, as it would be without one.
    private func unlockUnattended(_ enclave: LocalEnclave) {
        do throws(KeychainError) {
            guard let unattended, try enclave.state().lock == .beforeFirstUnlock,
                let passcode = try unattended.read()
            else { return }
            try enclave.passcode.unlock(passcode, by: .administrator)
        } catch {
            log("the keychain in \(path) stays locked, for all the passcode among the credentials: \(error.message)")
        }
    }

    /// Makes a folder that came from another machine this one's.
    ///
    /// - Throws: `notAvailable` where the device key is sealed, or missing.
    package func adopt() throws(KeychainError) {
        guard let file = binding as? FileBinding else {
            throw KeychainError(
                .notAvailable,
                "the device key in \(path) is of no kind that a file holds unencrypted"
            )
        }
        try file.adopt()
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }
}

extension DeviceBindingKind {
    /// Whether the device key has a file in the keychain's folder, in clear or sealed.
    fileprivate var hasFile: Bool { self == .file || self == .tpm }
}
