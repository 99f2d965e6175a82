import CSecurity
import Foundation
import Synchronization

/// What an object of a Sec type holds: the Swift object, and what was lent of it.
final class HeldObject: @unchecked Sendable {
    // `@unchecked`: the Sec classes are Sendable, but as NSObjects they do not show it.
    let object: NSObject

    private let loans = Mutex<LentObjects>(LentObjects())
    private let given = Mutex<GivenObjects>(GivenObjects())

    init(_ object: NSObject) {
        self.object = object
    }

    /// What a function with "Get" in its name returns for `object`, a new one: it lives as long as this one does, and is
    /// the same each time.
    func lend(_ object: UnsafeRawPointer?) -> UnsafeRawPointer? {
        guard let new = unsafe object.map({ unsafe OwnedObject(pointer: $0) }) else { return nil }
        return unsafe loans.withLock { $0.keep(new) }.pointer
    }
}

extension HeldObject {
    /// Keeps what a C program has set, so that it is returned itself. Its content is never looked at: a collection need not
    /// retain it.
    ///
    /// - Parameter place: what it was set as; nil of an object forgets what was set there.
    func keep(_ object: UnsafeRawPointer?, as place: String) {
        let new = unsafe object.map { unsafe OwnedObject(pointer: OutgoingObject.retained($0)) }
        given.withLock { $0.set(new, at: place) }
    }

    /// Forgets all that was set as something that begins so.
    func forget(allBeginning start: String) {
        given.withLock { $0.removeAll(beginning: start) }
    }

    /// What was set; nil for nothing.
    func given(as place: String) -> UnsafeRawPointer? {
        unsafe given.withLock { $0.object(at: place) }?.pointer
    }
}

private final class GivenObjects: @unchecked Sendable {
    // `@unchecked`: only ever used under its owner's lock.
    private var objects: [String: OwnedObject] = [:]

    func set(_ object: OwnedObject?, at place: String) {
        objects.updateValueOrRemove(object, forKey: place)?.release()
    }

    func removeAll(beginning start: String) {
        for place in objects.keys where place.hasPrefix(start) { set(nil, at: place) }
    }

    func object(at place: String) -> OwnedObject? { objects[place] }

    deinit {
        for object in objects.values { object.release() }
    }
}

extension [String: OwnedObject] {
    /// - Returns: what was there before.
    fileprivate mutating func updateValueOrRemove(_ value: OwnedObject?, forKey key: String) -> OwnedObject? {
        guard let value else { return removeValue(forKey: key) }
        return updateValue(value, forKey: key)
    }
}

/// A pointer to an object, with one reference that belongs to this value's owner.
@safe
private struct OwnedObject: @unchecked Sendable {
    // `@unchecked`: Core Foundation counts references atomically.
    let pointer: UnsafeRawPointer

    var object: AnyObject { unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() }

    func release() { unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release() }
}

private final class LentObjects: @unchecked Sendable {
    // `@unchecked`: only ever used under its owner's lock.
    private var objects: [OwnedObject] = []

    /// Keeps an object, unless an equal one is there, which is returned instead.
    func keep(_ new: OwnedObject) -> OwnedObject {
        if let earlier = objects.first(where: { CFEqual($0.object, new.object) }) {
            new.release()
            return earlier
        }
        objects.append(new)
        return new
    }

    deinit {
        for object in objects { object.release() }
    }
}
