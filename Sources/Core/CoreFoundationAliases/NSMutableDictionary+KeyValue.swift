public import Foundation

extension NSMutableDictionary {
    /// Puts a value under a key; nil removes the one that is there.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            self[key] = value
        } else {
            removeObject(forKey: key)
        }
    }

    /// Puts an object under a key of any class that can be copied.
    ///
    /// Nothing happens if the key is not an object with a hash value.
    @_disfavoredOverload
    public func setObject(_ anObject: Any, forKey aKey: any NSCopying) {
        guard let key = aKey as? any Hashable else { return }
        self[AnyHashable(key)] = anObject
    }
}
