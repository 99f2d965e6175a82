import CSecurity
import Foundation
import Synchronization

/// What an object of a Sec type holds: the Swift object, and what was lent of it.
final class HeldObject: @unchecked Sendable {
    // `@unchecked`: the Sec classes are Sendable, but as NSObjects they do not show it.
    let object: NSObject

    private let lent = Mutex<LentObjects>(LentObjects())

    init(_ object: NSObject) {
        self.object = object
    }

    /// What a function with "Get" in its name returns for `object`, a new one: it lives as long as this one does, and is
    /// the same each time.
    func lend(_ object: UnsafeRawPointer?) -> UnsafeRawPointer? {
        guard let new = unsafe object.map({ unsafe OwnedObject(pointer: $0) }) else { return nil }
        return unsafe lent.withLock { $0.keep(new) }.pointer
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
