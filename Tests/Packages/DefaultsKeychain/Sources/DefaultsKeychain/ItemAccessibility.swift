import Foundation

#if os(iOS) || os(tvOS) || os(watchOS) || os(macOS)
import Security
#endif

/// When a value can be read.
public enum ItemAccessibility: CaseIterable {
    case afterFirstUnlock
    case afterFirstUnlockThisDeviceOnly
    case whenPasscodeSetThisDeviceOnly
    case whenUnlocked
    case whenUnlockedThisDeviceOnly

    private static let constants: [(ItemAccessibility, CFString)] = [
        (.afterFirstUnlock, kSecAttrAccessibleAfterFirstUnlock),
        (.afterFirstUnlockThisDeviceOnly, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly),
        (.whenPasscodeSetThisDeviceOnly, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly),
        (.whenUnlocked, kSecAttrAccessibleWhenUnlocked),
        (.whenUnlockedThisDeviceOnly, kSecAttrAccessibleWhenUnlockedThisDeviceOnly),
    ]

    static func of(_ attribute: CFString) -> ItemAccessibility? {
        constants.first { CFEqual($0.1, attribute) }?.0
    }

    var attribute: CFString {
        Self.constants.first { $0.0 == self }?.1 ?? kSecAttrAccessibleWhenUnlocked
    }
}
