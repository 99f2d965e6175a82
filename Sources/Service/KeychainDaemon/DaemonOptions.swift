package import ArgumentParser
import CodeSignature
import EnclaveInterface
import Glibc
import KeychainAccounts
import KeychainModel
package import KeychainProtocol
import KeychainServer
import TPMEnclave

/// What `chatelained` is told when it is started.
package struct DaemonOptions: ParsableCommand {
    /// The help names the program, not this type.
    package static let configuration = CommandConfiguration(commandName: "chatelained")

    @Flag(help: "One user's own service, or one for all users of the machine.")
    package var mode: ModeFlag

    @Option(help: ArgumentHelp("The folder of the keychains.", valueName: "dir"))
    package var directory: String?

    @Option(help: ArgumentHelp("Where clients connect. A socket from systemd comes before it.", valueName: "path"))
    package var socket: String?

    @Option(help: ArgumentHelp("The folder with the certificates of trusted teams.", valueName: "dir"))
    package var teams: String = TrustedTeams.standardDirectory

    @Option(help: ArgumentHelp("System mode, started by root: who the service becomes.", valueName: "name|uid"))
    package var user: String = "chatelaine"

    @Option(help: ArgumentHelp("System mode: the group that marks installed programs.", valueName: "name|gid"))
    package var markerGroup: String = "chatelaine-app"

    @Option(help: ArgumentHelp("System mode, started by root: who chatelaine-identify becomes.", valueName: "name|uid"))
    package var identifyUser: String = "chatelaine-identify"

    @Option(
        help: ArgumentHelp("System mode, not started by root: where chatelaine-identify listens.", valueName: "path")
    )
    package var identifySocket: String = "/run/chatelaine/identify.sock"

    @Option(help: ArgumentHelp("System mode, started by root: who chatelaine-enclave becomes.", valueName: "name|uid"))
    package var enclaveUser: String = "chatelaine-enclave"

    @Option(
        help: ArgumentHelp(
            "System mode, started by root: the user of chatelaine-prompt, who alone is believed about fingers; "
                + "chatelaine-prompt, where there is such a user.",
            valueName: "name|uid"
        )
    )
    package var promptUser: String?

    @Option(
        help: ArgumentHelp("System mode, started by root: the folder of the enclave's own files.", valueName: "dir")
    )
    package var enclaveDirectory: String = EnclavePlaces.directory

    @Option(
        help: ArgumentHelp("System mode, not started by root: where chatelaine-enclave listens.", valueName: "path")
    )
    package var enclaveSocket: String = EnclavePlaces.serviceSocket

    @Option(
        help: ArgumentHelp(
            "Where passcodes are given, if not in the folder of the clients' socket. A service that is not started by root "
                + "leaves it to chatelaine-enclave.",
            valueName: "path"
        )
    )
    package var controlSocket: String?

    @Option(
        help: ArgumentHelp(
            "The TPM that keys are bound to: auto (/dev/tpmrm0, where it is there), none, device:PATH or swtpm:path=PATH. "
                + "In session mode none, if not said otherwise.",
            valueName: "tpm"
        )
    )
    package var tpm: String?

    @Option(
        help: ArgumentHelp(
            "Session mode: the program that asks people, which speaks pinentry's protocol; the system's, if not said "
                + "otherwise; none has agents ask alone. In system mode each user's agent asks (chatelaine agent).",
            valueName: "path"
        )
    )
    package var pinentry: String?

    @Option(
        help: ArgumentHelp(
            "System mode: the bytes that each user's keychain may have; K, M and G multiply by 1024.",
            valueName: "bytes"
        )
    )
    package var quotaBytes: String = "256M"

    @Option(help: ArgumentHelp("System mode: the items that each user's keychain may have.", valueName: "number"))
    package var quotaItems: String = "100000"

    @Option(
        help: ArgumentHelp("System mode: the file with the quotas of single users, which is root's.", valueName: "path")
    )
    package var quotas: String = UserQuotas.standardPath

    @Option(help: ArgumentHelp("The least level of messages that are logged: debug, info, notice, warning, error."))
    package var logLevel: String = "notice"

    package init() {}

    package enum ModeFlag: String, EnumerableFlag, Sendable {
        case session
        case system
    }

    package func validate() throws {
        guard !logLevel.isEmpty, StandardErrorLog.level(named: logLevel) != nil else {
            throw ValidationError("'\(logLevel)' is no level of messages")
        }
        guard pinentry == nil || mode == .session else {
            throw ValidationError(
                "in system mode each user's own agent asks (chatelaine agent --pinentry PATH), or, for all users, "
                    + "chatelaine-prompt --pinentry PATH"
            )
        }
        guard pinentry == "none" || pinentry?.hasPrefix("/") ?? true else {
            throw ValidationError("--pinentry takes a whole path, or none")
        }
        guard quotaLimit != nil else {
            throw ValidationError("--quota-bytes (4M at least) and --quota-items take whole numbers up to 1024G")
        }
        do {
            _ = try TPMSetting(tpm ?? "")
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// A user's own programs open the keychain without the service too, and these use no TPM.
    var tpmSetting: TPMSetting {
        guard let tpm, let setting = try? TPMSetting(tpm) else { return mode == .session ? .none : .automatic }
        return setting
    }

    /// - Throws: where the named user is not there.
    var prompter: UInt32? {
        get throws(KeychainError) {
            if let promptUser { return try SystemAccount.user(promptUser).uid }
            return try? SystemAccount.user("chatelaine-prompt").uid
        }
    }

    /// What users may store of whom no file says anything.
    var quotaLimit: StorageQuota.Limit? {
        guard let bytes = QuotaTable.number(quotaBytes, atLeast: 4 << 20),
            let items = QuotaTable.number(quotaItems, atLeast: 0)
        else { return nil }
        return StorageQuota.Limit(bytes: bytes, items: items)
    }

    /// Whether this process asks.
    var asksPeople: Bool { pinentry != "none" }

    package var serviceMode: ServiceIdentity.Mode {
        switch mode {
        case .session: .session
        case .system: .system
        }
    }
}

/// Users and groups by name or number.
enum SystemAccount {
    static func user(_ text: String) throws(KeychainError) -> UserAccount {
        guard let account = UserAccount(nameOrNumber: text) else {
            throw KeychainError(.invalidParameter, "there is no user \(text); make it, or name another one")
        }
        return account
    }

    static func group(_ text: String) throws(KeychainError) -> UInt32 {
        if let number = UInt32(text) { return number }
        guard let gid = GroupAccount.gid(named: text) else {
            throw KeychainError(.invalidParameter, "there is no group \(text); make it, or name another one")
        }
        return gid
    }
}
