import EnclaveInterface
import KeychainFiles
package import KeychainModel
import KeychainStore
import KeychainVault

/// The devices whose backups the owner has accepted: `backup-origins` beside the database, one public key (X9.63, in
/// hexadecimal digits) a line.
struct KnownOrigins {
    /// Nil for a keychain in memory, which remembers none.
    private let path: String?

    init(database: String?) {
        path = database.flatMap { database in
            database.lastIndex(of: "/").map { String(database[...$0]) + "backup-origins" }
        }
    }

    private static let largestFile = 1 << 20
    /// The oldest is forgotten.
    private static let most = 1_000

    func contains(_ signer: [UInt8]) throws(KeychainError) -> Bool {
        try lines().contains(Self.line(signer))
    }

    func insert(_ signer: [UInt8]) throws(KeychainError) {
        guard let path, try !contains(signer) else { return }
        let text = (try lines().suffix(Self.most - 1) + [Self.line(signer)]).map { $0 + "\n" }.joined()
        try SecureFile.write(SecretBytes(Array(text.utf8)), to: path)
    }

    private func lines() throws(KeychainError) -> [String] {
        guard let path, let file = try SecureFile.read(path, largest: Self.largestFile, ownership: .own) else {
            return []
        }
        let text = unsafe file.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    private static func line(_ signer: [UInt8]) -> String {
        signer.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension KeychainEngine {
    /// The maker of a backup, as far as this keychain knows it.
    ///
    /// - Parameter signer: the public key in the backup's header, whose signature was verified.
    package func origin(ofBackupsBy signer: [UInt8]) throws(KeychainError) -> BackupOrigin {
        if try vault.enclave.backupSigner() == signer { return .thisDevice }
        return try origins.contains(signer) ? .known : .unknown
    }

    var origins: KnownOrigins { KnownOrigins(database: store.path) }
}
