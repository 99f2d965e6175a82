import Foundation

/// When a box's objects can be read on this device.
public enum Accessibility: String, CaseIterable, Sendable {
    case whenUnlocked
    case afterFirstUnlock
    case whenPasscodeSetThisDeviceOnly
    case whenUnlockedThisDeviceOnly
    case afterFirstUnlockThisDeviceOnly

    var attribute: String {
        let value: CFString
        switch self {
        case .whenUnlocked: value = kSecAttrAccessibleWhenUnlocked
        case .afterFirstUnlock: value = kSecAttrAccessibleAfterFirstUnlock
        case .whenPasscodeSetThisDeviceOnly: value = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        case .whenUnlockedThisDeviceOnly: value = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: value = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        }
        return value as String
    }
}
