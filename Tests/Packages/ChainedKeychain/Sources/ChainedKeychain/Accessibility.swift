import Foundation

/// When items can be read.
public enum Accessibility {
    case whenUnlocked
    case afterFirstUnlock
    #if !targetEnvironment(macCatalyst)
    case always
    case alwaysThisDeviceOnly
    #endif
    @available(iOS 8.0, macOS 10.10, *)
    case whenPasscodeSetThisDeviceOnly
    case whenUnlockedThisDeviceOnly
    case afterFirstUnlockThisDeviceOnly
}

extension Accessibility: RawRepresentable, CustomStringConvertible {
    public init?(rawValue: String) {
        switch rawValue {
        case String(kSecAttrAccessibleWhenUnlocked): self = .whenUnlocked
        case String(kSecAttrAccessibleAfterFirstUnlock): self = .afterFirstUnlock
        #if !targetEnvironment(macCatalyst)
        case String(kSecAttrAccessibleAlways): self = .always
        case String(kSecAttrAccessibleAlwaysThisDeviceOnly): self = .alwaysThisDeviceOnly
        #endif
        case String(kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly): self = .whenPasscodeSetThisDeviceOnly
        case String(kSecAttrAccessibleWhenUnlockedThisDeviceOnly): self = .whenUnlockedThisDeviceOnly
        case String(kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly): self = .afterFirstUnlockThisDeviceOnly
        default: return nil
        }
    }

    public var rawValue: String {
        switch self {
        case .whenUnlocked: return String(kSecAttrAccessibleWhenUnlocked)
        case .afterFirstUnlock: return String(kSecAttrAccessibleAfterFirstUnlock)
        #if !targetEnvironment(macCatalyst)
        case .always: return String(kSecAttrAccessibleAlways)
        case .alwaysThisDeviceOnly: return String(kSecAttrAccessibleAlwaysThisDeviceOnly)
        #endif
        case .whenPasscodeSetThisDeviceOnly: return String(kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly)
        case .whenUnlockedThisDeviceOnly: return String(kSecAttrAccessibleWhenUnlockedThisDeviceOnly)
        case .afterFirstUnlockThisDeviceOnly: return String(kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
        }
    }

    public var description: String { rawValue }
}
