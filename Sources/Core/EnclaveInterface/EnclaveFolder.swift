package import KeychainModel

/// Where a keychain's enclave keeps its files, wherever that is: beside the database or with another process.
package protocol EnclaveFolder: Sendable {
    /// - Throws: `notAvailable` where the enclave cannot be reached.
    func presence() throws(KeychainError) -> EnclavePresence

    /// The files' paths, where this process can look at them; none where they are another process's.
    var files: [String] { get }

    /// Makes what is missing. Only while a keychain is being made.
    func create() throws(KeychainError)

    /// - Throws: `notAvailable` where a file is missing, damaged, of a newer version, or not of this device.
    func open() throws(KeychainError) -> any Enclave

    /// The factors that the owner of a keychain that does not exist yet could prove; nil where there is no prompter
    /// either.
    func presenceStatusWithoutKeychain() throws(KeychainError) -> PresenceStatus?
}

extension EnclaveFolder {
    package func presenceStatusWithoutKeychain() throws(KeychainError) -> PresenceStatus? { nil }
}
