package import KeychainModel

/// A keychain that can be made before anything is stored in it.
package protocol MadeKeychain {
    /// Makes it where there is none, and goes on with what a change of its keys has left to do.
    func makeKeychain() throws(KeychainError)
}

extension EmbeddedKeychain: MadeKeychain {
    package func makeKeychain() throws(KeychainError) {
        // Opening it would not be enough: a change of keys goes on with each use.
        _ = try transact([])
    }
}

extension ServiceConnection: MadeKeychain {
    package func makeKeychain() throws(KeychainError) {
        _ = try transact([])
    }
}
