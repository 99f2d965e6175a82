package import KeychainModel

/// What a device may be called.
package enum DeviceName {
    /// - Throws: `invalidParameter` for a name of no characters or more than 64, or with control characters.
    package static func check(_ name: String) throws(KeychainError) {
        guard (1...64).contains(name.count), name.utf8.count <= 256,
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw KeychainError(.invalidParameter, "a device's name has 1 to 64 characters, and no control characters")
        }
    }
}
