package import KeychainModel

extension KeychainError {
    /// One of the enclave's files is not there while the others are.
    package static func missing(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "\(path) is missing while the rest of the keychain is there; put it back from a copy"
        )
    }
}
