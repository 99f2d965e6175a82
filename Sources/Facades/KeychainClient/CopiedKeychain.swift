import KeychainEngine
package import KeychainModel

/// A keychain in a folder that came from another machine.
package enum CopiedKeychain {
    /// Makes it this machine's.
    ///
    /// - Throws: `notAvailable` where no device key lies there in clear.
    package static func adopt(_ folder: String) throws(KeychainError) {
        try KeychainDirectory.adoptDeviceKey(in: folder)
    }

    /// The folder of this person's own keychain, also while no service opens it.
    package static func ownFolder() throws(KeychainError) -> String {
        if case .embedded(let folder) = try KeychainLocation.current() { return folder }
        return try KeychainLocation.personalFolder()
    }
}
