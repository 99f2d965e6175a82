import KeychainEngine
package import KeychainModel

extension EmbeddedKeychain: KeychainMaintenance {
    package func verify() throws(KeychainError) -> VerificationReport {
        try ForkGuard.holdingOffForks { () throws(KeychainError) in try folder().verify() }
    }

    package func repair() throws(KeychainError) -> RepairReport {
        try ForkGuard.holdingOffForks { () throws(KeychainError) in try folder().repair(log: log) }
    }

    /// - Returns: nil where there is no keychain yet.
    package func databaseVersion() throws(KeychainError) -> (is: Int, next: Int)? {
        try folder().databaseVersion()
    }

    private func folder() throws(KeychainError) -> KeychainDirectory {
        switch place {
        case .embedded(let path): return directory(path)
        case .memory:
            throw KeychainError(.notAvailable, "this keychain is in memory alone; there are no files to look over")
        }
    }
}
