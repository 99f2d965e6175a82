package import KeychainEngine
package import KeychainModel

/// A keychain that can share its synchronizable items with its owner's other devices.
package protocol CircleKeychain: OwnedKeychain {
    /// Does something with the keychain as one of the devices of a circle.
    ///
    /// - Throws: what the body throws; `unimplemented` where another process has the keychain open.
    func withCircle<Value>(_ body: (KeychainCircle) throws(KeychainError) -> Value) throws(KeychainError) -> Value
}

extension EmbeddedKeychain: CircleKeychain {
    package func withCircle<Value>(
        _ body: (KeychainCircle) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try withEngine { (engine) throws(KeychainError) in try body(engine.circle) }
    }
}

extension ServiceConnection: CircleKeychain {
    package func withCircle<Value>(
        _ body: (KeychainCircle) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        throw KeychainError(
            .unimplemented,
            "the keychain service does not synchronize yet; embedded keychains do, which CHATELAINE_KEYCHAIN=embedded:FOLDER names"
        )
    }
}
