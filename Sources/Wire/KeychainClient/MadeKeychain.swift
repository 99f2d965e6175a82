package import KeychainModel

/// A keychain that can be made before anything is stored in it.
package protocol MadeKeychain {
    func makeKeychain() throws(KeychainError)
}

extension EmbeddedKeychain: MadeKeychain {
    package func makeKeychain() throws(KeychainError) {
        try withEngine { _ in }
    }
}

extension ServiceConnection: MadeKeychain {
    package func makeKeychain() throws(KeychainError) {
        _ = try transact([])
    }
}
