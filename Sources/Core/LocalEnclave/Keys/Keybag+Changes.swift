import Crypto
import EnclaveInterface
import KeychainModel

/// The changes of a keybag. The code that writes it sets the generation.
extension Keybag {
    /// Sets, changes or takes away the passcode.
    ///
    /// The first passcode comes with new keys: an older copy of the keybag opens the old ones without a passcode. Until
    /// the rotation is finished they stay, under the passcode too. Without a passcode the keys of WhenPasscodeSet are
    /// gone.
    ///
    /// - Parameter opened: all keys, as they were wrapped before.
    mutating func setPasscode(
        _ record: PasscodeRecord?,
        opened: [Named],
        under keys: WrappingKeys
    ) throws(KeychainError) {
        let isFirst = !hasPasscode && record != nil
        passcode = record
        entries = []
        for named in opened where hasPasscode || !named.purpose.needsPasscode {
            try wrap(named, under: keys)
        }
        // A keybag without any gets them when they are needed.
        if has(.privateKeys(.alwaysThisDeviceOnly)) { try addPrivateKeyKeys(under: keys) }
        guard isFirst else { return }
        try addClassKeys(under: keys) { Self.wrapping(of: .accessibility($0), withPasscode: true) == .passcode }
    }

    /// Makes a new key for the fingers that are enrolled now. What was bound to the one before is lost.
    mutating func setBiometry(_ set: EnrolledSet, under keys: WrappingKeys) throws(KeychainError) {
        entries.removeAll { $0.purpose == .biometry || $0.purpose == .biometrySet }
        try wrap(
            Named(purpose: .biometrySet, madeIn: generation, key: SymmetricKey(data: set.bytes)),
            under: keys
        )
        try wrap(Named(purpose: .biometry, madeIn: generation, key: SymmetricKey(size: .bits256)), under: keys)
    }

    /// Puts a new key before the one of each class.
    mutating func addClassKeys(
        under keys: WrappingKeys,
        of isChosen: (Accessibility) -> Bool = { _ in true }
    ) throws(KeychainError) {
        for accessibility in Self.classes(withPasscode: hasPasscode) where isChosen(accessibility) {
            let key = SymmetricKey(size: .bits256)
            try wrap(Named(purpose: .accessibility(accessibility), madeIn: generation, key: key), under: keys)
        }
    }

    /// Leaves one key for each class, the newest.
    mutating func removeOlderKeys() {
        let newest = Dictionary(entries.map { ($0.purpose, $0.madeIn) }, uniquingKeysWith: max)
        entries.removeAll { newest[$0.purpose] != $0.madeIn }
    }

    /// Makes everything that the passcode protects unreadable for good.
    mutating func destroyProtectedKeys(under keys: WrappingKeys) throws(KeychainError) {
        passcode = nil
        entries.removeAll(where: \.isUnderPasscode)
        let kept = Set(entries.map(\.purpose))
        try addClassKeys(under: keys) { !kept.contains(.accessibility($0)) }
        if has(.privateKeys(.alwaysThisDeviceOnly)) { try addPrivateKeyKeys(under: keys) }
    }
}

extension Keybag.Purpose {
    /// Whether there is such a key only while there is a passcode.
    var needsPasscode: Bool {
        self == .accessibility(.whenPasscodeSetThisDeviceOnly) || self == .privateKeys(.whenPasscodeSetThisDeviceOnly)
    }
}
