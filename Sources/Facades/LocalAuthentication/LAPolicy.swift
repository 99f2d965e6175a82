/// How a person proves to be the owner.
@nonexhaustive(warn)
public enum LAPolicy: Int, Sendable {
    /// A finger or a face.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// A finger, a face, a companion device or the passcode.
    case deviceOwnerAuthentication = 2
    /// A companion device nearby, such as a watch.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// A finger, a face or a companion device.
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4
    /// The passcode, or a watch that has not left the wrist (watchOS).
    case deviceOwnerAuthenticationWithWristDetection = 5

    /// The former name of `deviceOwnerAuthenticationWithCompanion`.
    public static var deviceOwnerAuthenticationWithWatch: LAPolicy { .deviceOwnerAuthenticationWithCompanion }

    /// The former name of `deviceOwnerAuthenticationWithBiometricsOrCompanion`.
    public static var deviceOwnerAuthenticationWithBiometricsOrWatch: LAPolicy {
        .deviceOwnerAuthenticationWithBiometricsOrCompanion
    }
}

// MARK: The numbers of the policies

/// `LAPolicy.deviceOwnerAuthenticationWithBiometrics`.
public var kLAPolicyDeviceOwnerAuthenticationWithBiometrics: Int32 { 1 }

/// `LAPolicy.deviceOwnerAuthentication`.
public var kLAPolicyDeviceOwnerAuthentication: Int32 { 2 }

/// `LAPolicy.deviceOwnerAuthenticationWithWatch`.
public var kLAPolicyDeviceOwnerAuthenticationWithWatch: Int32 { 3 }

/// `LAPolicy.deviceOwnerAuthenticationWithCompanion`.
public var kLAPolicyDeviceOwnerAuthenticationWithCompanion: Int32 { 3 }

/// `LAPolicy.deviceOwnerAuthenticationWithBiometricsOrWatch`.
public var kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch: Int32 { 4 }

/// `LAPolicy.deviceOwnerAuthenticationWithBiometricsOrCompanion`.
public var kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion: Int32 { 4 }

/// `LAPolicy.deviceOwnerAuthenticationWithWristDetection`.
public var kLAPolicyDeviceOwnerAuthenticationWithWristDetection: Int32 { 5 }
