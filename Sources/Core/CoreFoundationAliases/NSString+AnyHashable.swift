public import Foundation

/// Makes an `NSString` and the `String` of the same characters one key.
///
/// On Apple's platforms `dictionary[kSecAttrAccount]` finds a value in an `[AnyHashable: Any]` that was stored under the
/// constant's string; so it does here.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    public func _toCustomAnyHashable() -> AnyHashable? {
        AnyHashable(String(describing: self))
    }
}
