public import Foundation

/// Makes an `NSString` and the `String` of the same characters one key.
///
/// On Apple's platforms `dictionary[kSecAttrAccount]` finds the value stored under the string `"acct"` in an
/// `[AnyHashable: Any]`; so it does here.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    public func _toCustomAnyHashable() -> AnyHashable? {
        AnyHashable(String(describing: self))
    }
}
