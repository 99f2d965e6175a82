public import Foundation

extension LAEnvironment {
    /// By what the person can be told at one moment. Two are equal if nothing has changed in between.
    ///
    /// See [LAEnvironment.State](https://developer.apple.com/documentation/localauthentication/laenvironment/state-swift.class).
    public final class State: NSObject, NSCopying, Sendable {
        /// Fingers; nil if nothing reads them here.
        public let biometry: MechanismBiometry?

        /// The keychain's passcode; nil if no keychain answers.
        public let userPassword: MechanismUserPassword?

        /// Companion devices: none is known here.
        public var companions: [MechanismCompanion] { [] }

        /// All of these.
        public var allMechanisms: [Mechanism] { [biometry, userPassword].compactMap(\.self) + companions }

        private let snapshot: PresenceSnapshot

        init(_ snapshot: PresenceSnapshot) {
            self.snapshot = snapshot
            biometry = snapshot.biometryType == .none ? nil : MechanismBiometry(snapshot)
            userPassword = snapshot.hasPasscode.map { MechanismUserPassword(isSet: $0, snapshot) }
        }

        public override func isEqual(_ object: Any?) -> Bool { (object as? State)?.snapshot == snapshot }

        public override var hash: Int { snapshot.hashValue }

        /// The same object, which never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
}
