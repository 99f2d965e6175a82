import Foundation
public import Security

@c(SecAccessControlGetTypeID)
public func secAccessControlGetTypeID() -> CFTypeID { SecType.accessControl.identifier }

@c(SecAccessControlCreateWithFlags)
public func secAccessControlCreateWithFlags(
    _ allocator: UnsafeRawPointer?,
    _ protection: UnsafeRawPointer?,
    _ flags: CFOptionFlags,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    guard let protection = unsafe IncomingObject.object(protection) else {
        unsafe OutgoingResult.refuse(error)
        return nil
    }
    return unsafe OutgoingResult.object(orError: error) { error in
        unsafe SecAccessControlCreateWithFlags(nil, protection, SecAccessControlCreateFlags(rawValue: flags), error)
    }
}
