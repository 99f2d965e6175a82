package import EnclaveInterface
package import KeychainModel

/// Where the device key and, where there is hardware for it, the passcode's second half are kept.
package protocol DeviceBinding: Sendable {
    var kind: DeviceBindingKind { get }

    /// The device key; nil where none was ever made here.
    ///
    /// - Throws: `notAvailable` for one that is damaged, another device's, or whose hardware does not answer.
    func deviceKey() throws(KeychainError) -> DeviceKey?

    /// Makes and keeps a device key. Only where there is none.
    func makeDeviceKey() throws(KeychainError) -> DeviceKey

    /// Nil where no hardware limits guesses: then the passcode alone protects what it protects.
    var passcodeSecrets: (any PasscodeSecretStore)? { get }

    /// Nil where nothing outside the disk can tell an older keybag from the newest.
    var rollbackCounter: (any RollbackCounter)? { get }

    /// Nil where the enclave keeps keys in software.
    var hardwareKeys: (any HardwareKeys)? { get }
}

extension DeviceBinding {
    package var hardwareKeys: (any HardwareKeys)? { nil }
}

/// Hardware that gives out secrets against an authorisation, and limits how often one may be wrong.
///
/// There are two places, so that a change of the passcode can make the new secret, write the keybag that names its
/// place, and only then remove the old one: stopped at any instant, one of both passcodes works.
package protocol PasscodeSecretStore: Sendable {
    /// Makes a random secret of 32 bytes in a place; what was there is gone.
    ///
    /// - Parameter authorization: 32 bytes, derived from the passcode by scrypt.
    func make(in place: UInt8, authorization: SecretBytes) throws(KeychainError) -> SecretBytes

    /// - Throws: `authenticationFailed` for a wrong authorisation; `notAvailable` while the hardware is locked out, was
    ///   cleared, or is another.
    func secret(in place: UInt8, authorization: SecretBytes) throws(KeychainError) -> SecretBytes

    func remove(_ place: UInt8) throws(KeychainError)

    /// In how many seconds it forgives one wrong authorisation; nil where it does not say now.
    var secondsUntilForgiven: UInt64? { get }
}

/// A number that only grows, outside the disk.
package protocol RollbackCounter: Sendable {
    /// The value of a counter that is made if it is not there yet. Only while there is no keybag: a counter that is gone
    /// later was taken away.
    func start() throws(KeychainError) -> UInt64
    func value() throws(KeychainError) -> UInt64
    func increment() throws(KeychainError) -> UInt64
}

/// Hardware that makes P-256 keys, signs and agrees with them, and never gives one out.
package protocol HardwareKeys: Sendable {
    /// Makes a key.
    ///
    /// - Returns: what only this hardware can use again, and the public key (X9.63, 65 bytes).
    func makeKey() throws(KeychainError) -> HardwareKey

    /// Signs with ECDSA.
    ///
    /// - Parameters:
    ///   - digest: 32 bytes.
    ///   - key: the blob that `makeKey` returned.
    /// - Returns: r and s, 32 bytes each, big-endian.
    /// - Throws: `notAvailable` for a blob that was altered or that other hardware made, and while the hardware does not
    ///   answer.
    func signature(ofDigest digest: [UInt8], by key: SecretBytes) throws(KeychainError) -> [UInt8]

    /// Agrees on a secret with ECDH.
    ///
    /// - Parameters:
    ///   - point: X9.63, 65 bytes, uncompressed. Off the curve: `invalidParameter`.
    ///   - key: the blob that `makeKey` returned.
    /// - Returns: the X coordinate, 32 bytes.
    /// - Throws: `notAvailable` as `signature` does.
    func sharedSecret(with point: [UInt8], by key: SecretBytes) throws(KeychainError) -> SecretBytes
}

package struct HardwareKey: Sendable {
    /// It is worth nothing without the hardware, and is kept as a secret all the same.
    package let blob: SecretBytes
    package let publicKey: [UInt8]

    package init(blob: SecretBytes, publicKey: [UInt8]) {
        self.blob = blob
        self.publicKey = publicKey
    }
}
