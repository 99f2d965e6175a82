public import Foundation

/// A dictionary that can hold its keys, its values or both weakly.
///
/// A pair disappears when an object that is held weakly does. Keys are compared by value. As on Apple's platforms, a
/// table must not be used from several threads at a time.
open class NSMapTable<KeyType: AnyObject, ObjectType: AnyObject>: NSObject {
    private let weakKeys: Bool
    private let weakObjects: Bool
    private var pairs: [Int: [Pair]] = [:]

    private struct Pair {
        let key: Reference<KeyType>
        let object: Reference<ObjectType>
    }

    private enum Reference<Object: AnyObject> {
        final class Weak {
            weak var object: Object?
            init(_ object: Object) { self.object = object }
        }

        case strong(Object)
        case weak(Weak)

        init(_ object: Object, isWeak: Bool) {
            self = isWeak ? .weak(Weak(object)) : .strong(object)
        }

        var object: Object? {
            switch self {
            case .strong(let object): object
            case .weak(let weak): weak.object
            }
        }
    }

    private init(weakKeys: Bool, weakObjects: Bool) {
        self.weakKeys = weakKeys
        self.weakObjects = weakObjects
    }

    /// A table that keeps its keys and its values alive.
    open class func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(weakKeys: false, weakObjects: false)
    }

    /// A table that keeps its keys alive, but not its values.
    open class func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(weakKeys: false, weakObjects: true)
    }

    /// A table that keeps its values alive as long as their keys live elsewhere.
    open class func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(weakKeys: true, weakObjects: false)
    }

    /// A table that keeps nothing alive.
    open class func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(weakKeys: true, weakObjects: true)
    }

    /// How many pairs are alive.
    open var count: Int {
        pairs.values.reduce(0) { $0 + $1.count(where: Self.isAlive) }
    }

    /// The value under a key, or nil.
    open func object(forKey aKey: KeyType?) -> ObjectType? {
        guard let aKey else { return nil }
        return pairs[Self.hash(aKey)]?.first { Self.isKey($0, aKey) }?.object.object
    }

    /// Puts a value under a key, in place of the one that is there; nil does nothing.
    open func setObject(_ anObject: ObjectType?, forKey aKey: KeyType?) {
        guard let anObject, let aKey else { return }
        removeObject(forKey: aKey)
        removeDeadPairs()
        let pair = Pair(
            key: Reference(aKey, isWeak: weakKeys),
            object: Reference(anObject, isWeak: weakObjects)
        )
        pairs[Self.hash(aKey), default: []].append(pair)
    }

    /// Removes the value under a key, if there is one.
    open func removeObject(forKey aKey: KeyType?) {
        guard let aKey else { return }
        let hash = Self.hash(aKey)
        pairs[hash]?.removeAll { Self.isKey($0, aKey) }
        if pairs[hash]?.isEmpty == true { pairs[hash] = nil }
    }

    /// Removes every pair.
    open func removeAllObjects() {
        pairs = [:]
    }

    private func removeDeadPairs() {
        guard weakKeys || weakObjects else { return }
        pairs = pairs.compactMapValues { bucket in
            let alive = bucket.filter(Self.isAlive)
            return alive.isEmpty ? nil : alive
        }
    }

    private static func isAlive(_ pair: Pair) -> Bool {
        pair.key.object != nil && pair.object.object != nil
    }

    private static func isKey(_ pair: Pair, _ key: KeyType) -> Bool {
        guard let own = pair.key.object else { return false }
        if own === key { return true }
        guard let own = own as? any Hashable, let key = key as? any Hashable else { return false }
        return AnyHashable(own) == AnyHashable(key)
    }

    private static func hash(_ key: KeyType) -> Int {
        guard let key = key as? any Hashable else { return ObjectIdentifier(key).hashValue }
        return AnyHashable(key).hashValue
    }
}
