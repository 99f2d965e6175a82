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
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        let flags = SecAccessControlCreateFlags(rawValue: flags)
        return unsafe SecAccessControlCreateWithFlags(nil, try Argument.object(protection), flags, error)
    }
}
