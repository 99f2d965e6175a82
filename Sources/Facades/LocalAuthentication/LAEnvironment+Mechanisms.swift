public import Foundation

extension LAEnvironment {
    /// One way to tell a person.
    ///
    /// See [LAEnvironment.Mechanism](https://developer.apple.com/documentation/localauthentication/laenvironment/mechanism).
    public class Mechanism: NSObject, @unchecked Sendable {
        // `@unchecked` for its subclasses: nothing of them changes.

        /// Whether `LAContext.canEvaluatePolicy(_:error:)` would succeed for it. Why it would not, the other properties
        /// may say or not.
        public let isUsable: Bool

        /// What it is called, in English.
        public let localizedName: String

        /// The name of a picture of it among Apple's SF Symbols.
        public let iconSystemName: String

        fileprivate init(isUsable: Bool, name: String, icon: String) {
            self.isUsable = isUsable
            localizedName = name
            iconSystemName = icon
        }
    }

    /// Fingers.
    public final class MechanismBiometry: Mechanism, @unchecked Sendable {
        /// What can be read here, whether or not anything is enrolled.
        public let biometryType: LABiometryType

        /// Whether a finger is enrolled. It may not be usable all the same.
        public let isEnrolled: Bool

        /// Whether there were too many wrong fingers, so that the passcode has to be given first.
        public let isLockedOut: Bool

        /// A digest of what is enrolled, as `LAContext.domainState.biometry` has it; empty where that has none.
        public let stateHash: Data

        /// Whether a sensor that is built in cannot be reached, as in a laptop that is closed. It is not known here.
        public var builtInSensorInaccessible: Bool { false }

        init(_ snapshot: PresenceSnapshot) {
            biometryType = snapshot.biometryType
            isEnrolled = snapshot.biometryObstacle != .biometryNotEnrolled
            isLockedOut = snapshot.biometryObstacle == .biometryLockout
            stateHash = snapshot.biometrySet ?? Data()
            super.init(isUsable: snapshot.biometryObstacle == nil, name: "Fingerprint", icon: "touchid")
        }
    }

    /// The keychain's passcode.
    public final class MechanismUserPassword: Mechanism, @unchecked Sendable {
        /// Whether there is one.
        public let isSet: Bool

        init(isSet: Bool, _ snapshot: PresenceSnapshot) {
            self.isSet = isSet
            super.init(isUsable: snapshot.passcodeObstacle == nil, name: "Passcode", icon: "lock.shield")
        }
    }

    /// A device that can vouch for its owner. There is none here.
    public final class MechanismCompanion: Mechanism, @unchecked Sendable {
        /// What kind of device it is.
        public let type: LACompanionType

        /// A digest of the devices of this kind that are paired; nil where none is.
        public let stateHash: Data?

        init(type: LACompanionType) {
            self.type = type
            stateHash = nil
            super.init(isUsable: false, name: "Companion", icon: "applewatch")
        }
    }
}
