/// What a machine can tell a person by.
@nonexhaustive(warn)
public enum LABiometryType: Int, Sendable {
    /// Nothing.
    case none = 0
    /// A finger.
    case touchID = 1
    /// A face.
    case faceID = 2
    /// An iris.
    case opticID = 4

    /// The former name of `none`.
    public static var LABiometryNone: LABiometryType { .none }
}

// MARK: The numbers of the types

/// `LABiometryType.none`.
public var kLABiometryTypeNone: Int32 { 0 }

/// `LABiometryType.touchID`.
public var kLABiometryTypeTouchID: Int32 { 1 }

/// `LABiometryType.faceID`.
public var kLABiometryTypeFaceID: Int32 { 2 }

/// `LABiometryType.opticID`.
public var kLABiometryTypeOpticID: Int32 { 4 }
