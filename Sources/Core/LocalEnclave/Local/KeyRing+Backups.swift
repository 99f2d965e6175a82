import Crypto
import KeychainModel

/// The keys that bind backups to this device, and sign them.
extension KeyRing {
    func deviceKey(ofBackup backup: ItemUUID) throws(KeychainError) -> SymmetricKey {
        Keybag.derive(try backupKey(\.backupKey), "chatelaine backup device 1", backup)
    }

    func sign(backupDigest: [UInt8]) throws(KeychainError) -> [UInt8] {
        guard backupDigest.count == SHA256.byteCount else {
            throw KeychainError(.invalidParameter, "a digest has 32 bytes")
        }
        let message = Array("chatelaine backup signature 1".utf8) + backupDigest
        do {
            return Array(try signer().signature(for: message).rawRepresentation)
        } catch {
            throw KeychainError(.internalError, "the signature cannot be made")
        }
    }

    func backupSigner() throws(KeychainError) -> [UInt8] {
        Array(try signer().publicKey.x963Representation)
    }

    private func signer() throws(KeychainError) -> P256.Signing.PrivateKey {
        let key = try backupKey(\.signingKey)
        do {
            return try unsafe key.withUnsafeBytes { try unsafe P256.Signing.PrivateKey(rawRepresentation: $0) }
        } catch {
            throw Keybag.damaged
        }
    }

    /// A keybag of version 1 has neither key: they are made at the first use.
    private func backupKey(_ path: KeyPath<EnclaveKeys, SymmetricKey?>) throws(KeychainError) -> SymmetricKey {
        func present() throws(KeychainError) -> SymmetricKey? {
            try locking.withState { (state) throws(KeychainError) in state.keys[keyPath: path] }
        }
        if let key = try present() { return key }
        try editor.exclusively { () throws(KeychainError) in
            guard try present() == nil else { return }
            try editor.rewrite(with: nil) { (draft, keys) throws(KeychainError) in
                try draft.addBackupKeys(under: keys)
                return nil
            }
        }
        guard let key = try present() else { throw KeychainError(.internalError, "the keybag took no backup key") }
        return key
    }
}
