import CoreFoundationAliases
public import Foundation

/// A keychain file of macOS. There is none: functions that take one take nil.
public final class SecKeychain: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and there is no such object.
    private override init() {}
}

/// The programs that may use an item of a keychain file of macOS. There is none: functions that take one take nil.
public final class SecAccess: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and there is no such object.
    private override init() {}
}
