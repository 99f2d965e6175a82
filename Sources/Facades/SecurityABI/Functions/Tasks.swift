public import Security

@c(SecTaskGetTypeID)
public func secTaskGetTypeID() -> CFTypeID { SecType.task.identifier }

@c(SecTaskCreateFromSelf)
public func secTaskCreateFromSelf(_ allocator: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe OutgoingObject.object(SecTaskCreateFromSelf(nil))
}

@c(SecTaskCopyValueForEntitlement)
public func secTaskCopyValueForEntitlement(
    _ task: UnsafeRawPointer?,
    _ entitlement: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecTaskCopyValueForEntitlement(try Argument.task(task), try Argument.string(entitlement), error)
    }
}

@c(SecTaskCopyValuesForEntitlements)
public func secTaskCopyValuesForEntitlements(
    _ task: UnsafeRawPointer?,
    _ entitlements: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecTaskCopyValuesForEntitlements(try Argument.task(task), try Argument.array(entitlements), error)
    }
}

@c(SecTaskCopySigningIdentifier)
public func secTaskCopySigningIdentifier(
    _ task: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecTaskCopySigningIdentifier(try Argument.task(task), error)
    }
}
