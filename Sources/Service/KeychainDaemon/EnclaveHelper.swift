import Glibc
import KeychainAccounts
import KeychainModel
import KeychainServer
import KeychainSystem
import PeerIdentity

/// The connection to chatelaine-enclave, the process that holds the keys.
enum EnclaveHelper {
    /// Starts it, beside this program, on a pair of sockets and with the socket for owners. To be called while this
    /// process is still root.
    ///
    /// - Parameters:
    ///   - prompter: the reader of fingers; nil where there is none.
    ///   - witness: the user of chatelaine-identify.
    static func start(
        user: String,
        directory: String,
        tpm: String,
        prompter: UInt32?,
        witness: String,
        owners: ListeningSocket
    ) throws(KeychainError) -> PacketSocket {
        let account = try SystemAccount.user(user)
        let (ours, theirs) = try KeychainError.translating { try PacketSocket.pair() }
        try StartedProgram.start(
            "chatelaine-enclave",
            [
                "--user", String(account.uid), "--directory", directory, "--tpm", tpm, "--descriptor", "3",
                "--owners", "4", "--witness", String(try SystemAccount.user(witness).uid),
            ] + (prompter.map { ["--prompter", String($0)] } ?? []),
            descriptors: [theirs.number, owners.descriptor]
        )
        return ours
    }
}
