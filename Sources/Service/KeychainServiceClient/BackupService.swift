package import KeychainBackup
package import KeychainModel

/// A keychain of which its owner can have a backup, and to which one can be given back.
package protocol BackupService: OwnedKeychain {
    /// - Parameter sink: gets the file piece by piece. What it was given is no backup unless this returns.
    /// - Throws: what the engine refuses it with; what the sink throws.
    func backup(_ request: BackupRequest, to sink: @escaping BackupSink) throws(KeychainError) -> BackupCounts

    /// - Parameters:
    ///   - file: read to its end once, or more often.
    ///   - progress: told of the bytes that the keychain has, where it does not read the file itself.
    func restore(
        _ request: RestoreRequest,
        from file: some BackupFile,
        progress: (UInt64) -> Void
    ) throws(KeychainError) -> RestoreReport

    /// The maker of a backup whose signature was verified with this public key.
    func origin(ofBackupsBy signer: [UInt8]) throws(KeychainError) -> BackupOrigin
}
