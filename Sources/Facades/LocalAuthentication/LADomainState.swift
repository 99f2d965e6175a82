public import Foundation

/// A device that can vouch for its owner when it is near.
@nonexhaustive(warn)
public enum LACompanionType: Int, Sendable, Hashable {
    /// A watch.
    case watch = 1
    /// A Mac.
    case mac = 2
    /// A headset.
    case vision = 4
}

/// `LACompanionType.watch`.
public var kLACompanionTypeWatch: Int32 { 1 }

/// `LACompanionType.mac`.
public var kLACompanionTypeMac: Int32 { 2 }

/// `LACompanionType.vision`.
public var kLACompanionTypeVision: Int32 { 4 }

/// No companion.
public var kLACompanionTypeNone: Int32 { 0 }

/// By what a person can be told, in a form that changes when that does.
public final class LADomainState: NSObject {
    /// Fingers and faces.
    public let biometry: LADomainStateBiometry

    /// Companion devices.
    public let companion: LADomainStateCompanion

    /// A digest of both; nil where there is neither.
    public var stateHash: Data? { biometry.stateHash }

    init(biometryType: LABiometryType, biometrySet: Data?) {
        biometry = LADomainStateBiometry(type: biometryType, set: biometrySet)
        companion = LADomainStateCompanion()
    }
}

/// Which fingers or faces are enrolled, in a form that changes when they do.
public final class LADomainStateBiometry: NSObject {
    /// What the machine can tell a person by.
    public let biometryType: LABiometryType

    /// A digest of what is enrolled; nil where nothing is.
    public let stateHash: Data?

    init(type: LABiometryType, set: Data?) {
        biometryType = type
        stateHash = set
    }
}

/// Which companion devices are paired, in a form that changes when they do.
public final class LADomainStateCompanion: NSObject {
    /// The kinds of devices that are paired.
    public var availableCompanionTypes: Set<LACompanionType> { [] }

    /// A digest of the devices that are paired; nil where none is.
    public var stateHash: Data? { nil }

    /// A digest of the devices of one kind; nil where none is paired.
    public func stateHash(for companionType: LACompanionType) -> Data? { nil }

    override init() {}
}
