import CSecurity
import Foundation

/// A type of Core Foundation whose instances each stand for one Swift object.
///
/// To C, an object of a Swift class has no type identifier of its own. So C programs get instances of a type that is
/// registered with Core Foundation, and that asks the Swift object for equality, hash value and description.
struct ObjectType: Sendable {
    /// What `CFGetTypeID` says of the instances.
    let identifier: CFTypeID
    /// Of an instance, in bytes.
    private let size: Int

    /// Registers a type for good. `name` is ASCII.
    init(name: StaticString, size: Int = unsafe MemoryLayout<CSecurityObject>.size) {
        self.size = size
        // Core Foundation keeps the pointer, so the memory is never given back.
        let callbacks = UnsafeMutablePointer<CFRuntimeClass>.allocate(capacity: 1)
        unsafe callbacks.initialize(to: CFRuntimeClass())
        unsafe callbacks.pointee.className = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe callbacks.pointee.finalize = { object in ObjectType.release(object) }
        unsafe callbacks.pointee.equal = { first, second in ObjectType.areEqual(first, second) }
        unsafe callbacks.pointee.hash = { object in
            ObjectType.held(by: object).map { CFHashCode(bitPattern: $0.object.hash) } ?? 0
        }
        unsafe callbacks.pointee.copyDebugDesc = { object in unsafe ObjectType.description(of: object) }
        identifier = unsafe _CFRuntimeRegisterClass(callbacks)
    }

    /// A new instance, which the caller owns; nil where there is no memory.
    ///
    /// - Parameter extraBytes: after it, as zeros.
    func instance(for object: NSObject, extraBytes: Int = 0) -> UnsafeRawPointer? {
        let additional = size + extraBytes - MemoryLayout<CFRuntimeBase>.size
        guard let instance = unsafe _CFRuntimeCreateInstance(nil, identifier, additional, nil) else { return nil }
        let pointer = unsafe instance.toOpaque()
        unsafe (pointer + MemoryLayout<CFRuntimeBase>.size).initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: additional
        )
        unsafe pointer.assumingMemoryBound(to: CSecurityObject.self).pointee.held = unsafe UnsafeRawPointer(
            Unmanaged.passRetained(HeldObject(object)).toOpaque()
        )
        return UnsafeRawPointer(pointer)
    }

    /// What an object of this or another such type holds. The caller has checked the type identifier.
    static func held(at pointer: UnsafeRawPointer) -> HeldObject? {
        let instance = unsafe pointer.assumingMemoryBound(to: CSecurityObject.self)
        guard let held = unsafe instance.pointee.held else { return nil }
        return unsafe Unmanaged<HeldObject>.fromOpaque(held).takeUnretainedValue()
    }

    private static func held(by object: CFTypeRef?) -> HeldObject? {
        guard let object else { return nil }
        return unsafe held(at: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
    }

    private static func areEqual(_ first: CFTypeRef?, _ second: CFTypeRef?) -> Bool {
        guard let first, let second, let left = held(by: first), let right = held(by: second) else { return false }
        if let left = left.object as? any CustomObject, let right = right.object as? any CustomObject {
            return unsafe left.isEqual(
                UnsafeRawPointer(Unmanaged.passUnretained(first).toOpaque()),
                to: right,
                UnsafeRawPointer(Unmanaged.passUnretained(second).toOpaque())
            )
        }
        return left.object.isEqual(right.object)
    }

    private static func description(of object: CFTypeRef?) -> Unmanaged<CFString>? {
        guard let object, let held = held(by: object) else { return nil }
        if let key = held.object as? any CustomObject,
            let text = unsafe key.text(of: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
        {
            return unsafe Unmanaged.fromOpaque(text)
        }
        return unsafe OutgoingObject.string(held.object.description).map { unsafe Unmanaged.fromOpaque($0) }
    }

    private static func release(_ object: CFTypeRef?) {
        guard let object else { return }
        let pointer = unsafe Unmanaged.passUnretained(object).toOpaque()
        let instance = unsafe pointer.assumingMemoryBound(to: CSecurityObject.self)
        if let held = unsafe instance.pointee.held {
            // The program's function still finds the key as it was.
            let object = unsafe Unmanaged<HeldObject>.fromOpaque(held).takeUnretainedValue().object
            if let key = object as? any CustomObject { unsafe key.destroy(UnsafeRawPointer(pointer)) }
            unsafe instance.pointee.held = nil
            unsafe Unmanaged<HeldObject>.fromOpaque(held).release()
        }
    }
}

/// A Swift object that a C program has given functions of its own.
protocol CustomObject: NSObject {
    /// Called last, before the instance is freed.
    func destroy(_ instance: UnsafeRawPointer)

    func isEqual(_ instance: UnsafeRawPointer, to other: any CustomObject, _ otherInstance: UnsafeRawPointer) -> Bool

    /// A description that the caller owns; nil where the program gives none.
    func text(of instance: UnsafeRawPointer) -> UnsafeRawPointer?
}
