import Foundation
import Security

// What SecPrivate.h declares of constraints.

@c(SecAccessConstraintCreatePolicy)
public func secAccessConstraintCreatePolicy(
    _ allocator: UnsafeRawPointer?,
    _ policy: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe AccessConstraints.policy(try Argument.object(policy), error)
    }
}

@c(SecAccessConstraintCreatePasscode)
public func secAccessConstraintCreatePasscode(_ allocator: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe OutgoingObject.object(AccessConstraints.passcode())
}

@c(SecAccessConstraintCreateWatch)
public func secAccessConstraintCreateWatch(_ allocator: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe OutgoingObject.object(AccessConstraints.watch())
}

@c(SecAccessConstraintCreateBiometryAny)
public func secAccessConstraintCreateBiometryAny(
    _ allocator: UnsafeRawPointer?,
    _ catacombUUID: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        AccessConstraints.biometryAny(set: try unsafe Argument.optionalData(catacombUUID))
    }
}

@c(SecAccessConstraintCreateTouchIDAny)
public func secAccessConstraintCreateTouchIDAny(
    _ allocator: UnsafeRawPointer?,
    _ catacombUUID: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        AccessConstraints.biometryAny(set: try unsafe Argument.optionalData(catacombUUID))
    }
}

@c(SecAccessConstraintCreateBiometryCurrentSet)
public func secAccessConstraintCreateBiometryCurrentSet(
    _ allocator: UnsafeRawPointer?,
    _ catacombUUID: UnsafeRawPointer?,
    _ biometryDatabaseHash: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        AccessConstraints.biometryCurrentSet(
            set: try unsafe Argument.optionalData(catacombUUID),
            database: try unsafe Argument.optionalData(biometryDatabaseHash)
        )
    }
}

@c(SecAccessConstraintCreateTouchIDCurrentSet)
public func secAccessConstraintCreateTouchIDCurrentSet(
    _ allocator: UnsafeRawPointer?,
    _ catacombUUID: UnsafeRawPointer?,
    _ biometryDatabaseHash: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        AccessConstraints.biometryCurrentSet(
            set: try unsafe Argument.optionalData(catacombUUID),
            database: try unsafe Argument.optionalData(biometryDatabaseHash)
        )
    }
}

@c(SecAccessConstraintCreateKofN)
public func secAccessConstraintCreateKofN(
    _ allocator: UnsafeRawPointer?,
    _ numRequired: Int,
    _ constraints: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe AccessConstraints.kOfN(numRequired, try Argument.array(constraints), isValueOnly: false, error)
    }
}

@c(SecAccessConstraintCreateValueOfKofN)
public func secAccessConstraintCreateValueOfKofN(
    _ allocator: UnsafeRawPointer?,
    _ numRequired: Int,
    _ constraints: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe AccessConstraints.kOfN(numRequired, try Argument.array(constraints), isValueOnly: true, error)
    }
}
