import EnclaveInterface
import KeychainClient
import KeychainModel

/// What a keychain's enclave says of itself, in words.
struct LockText {
    let state: EnclaveState

    var lock: String {
        switch state.lock {
        case .unlocked: "unlocked"
        case .locked: "locked"
        case .beforeFirstUnlock: "locked since the machine was started, or the last log-out"
        }
    }

    var passcode: String {
        guard state.hasPasscode else { return "none" }
        return isUnconfirmed ? "set, unconfirmed (chatelaine passcode confirm)" : "set"
    }

    /// Whether any program may have set the passcode.
    var isUnconfirmed: Bool { state.hasPasscode && !state.isPasscodeEnough }

    var settings: String {
        var parts: [String] = []
        if state.settings.locksOnSleep { parts.append("when the machine sleeps") }
        if let timeout = state.settings.timeout { parts.append("\(timeout) seconds after the last use") }
        return parts.isEmpty ? "never by itself" : parts.joined(separator: ", and ")
    }

    /// Where the device key is, and so what a copy of the disk is worth.
    var binding: String {
        switch state.binding {
        case .tpm: "it is bound to the TPM: a copy of it opens on no other machine"
        case .credential: "its device key comes from systemd: a copy of it opens where that credential does"
        case .file: "its device key is a file beside it: anybody with a copy can read what no passcode protects"
        case .memory: "its device key goes with the process"
        }
    }

    /// Where the enclave runs, and whom it keeps the keys from.
    static func place(_ location: KeychainLocation) -> (isGuarded: Bool, sentence: String) {
        switch location {
        case .service(let address) where address.kind == .system:
            (true, "the keys are with chatelaine-enclave, a process and a user of its own")
        case .service:
            (false, "the keys are in the service's process: your own programs are kept from them by good manners alone")
        case .embedded: (false, "the keys are in each program's own process, and protected from no program of yours")
        case .memory: (false, "the keys are in the program's own memory")
        }
    }
}
