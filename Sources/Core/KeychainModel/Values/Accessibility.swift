/// When an item may be read: the storable values of `kSecAttrAccessible`.
package enum Accessibility: String, Sendable, CaseIterable {
    case whenUnlocked = "ak"
    case afterFirstUnlock = "ck"
    case always = "dk"
    case whenUnlockedThisDeviceOnly = "aku"
    case afterFirstUnlockThisDeviceOnly = "cku"
    case alwaysThisDeviceOnly = "dku"
    case whenPasscodeSetThisDeviceOnly = "akpu"

    /// Whether items of this class may not leave the device, and so may not be synchronizable.
    package var isThisDeviceOnly: Bool {
        switch self {
        case .whenUnlocked, .afterFirstUnlock, .always: false
        case .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
            .whenPasscodeSetThisDeviceOnly:
            true
        }
    }

    /// The class that is readable at the same times and does not leave the device.
    package var thisDeviceOnly: Accessibility {
        switch self {
        case .whenUnlocked, .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .always, .alwaysThisDeviceOnly: .alwaysThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: .whenPasscodeSetThisDeviceOnly
        }
    }

    /// A number that stands for the class in stored formats. It never changes.
    package var code: UInt8 {
        switch self {
        case .whenUnlocked: 1
        case .afterFirstUnlock: 2
        case .always: 3
        case .whenUnlockedThisDeviceOnly: 4
        case .afterFirstUnlockThisDeviceOnly: 5
        case .alwaysThisDeviceOnly: 6
        case .whenPasscodeSetThisDeviceOnly: 7
        }
    }

    package init?(code: UInt8) {
        guard let match = Accessibility.allCases.first(where: { $0.code == code }) else { return nil }
        self = match
    }
}
