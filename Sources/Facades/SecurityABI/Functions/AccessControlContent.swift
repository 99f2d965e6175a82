import Foundation
import Security

// What SecPrivate.h declares of access controls.

@c(SecAccessControlCreate)
public func secAccessControlCreate(
    _ allocator: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe OutgoingObject.object(SecAccessControl.empty())
}

@c(SecAccessControlGetProtection)
public func secAccessControlGetProtection(_ accessControl: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe lent(by: accessControl) { () throws(WrongArgument) in
        try unsafe Argument.accessControl(accessControl).protectionName
    }
}

@c(SecAccessControlSetProtection)
public func secAccessControlSetProtection(
    _ accessControl: UnsafeRawPointer?,
    _ protection: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    unsafe Outcome.value(orError: error, refused: false) { error throws(WrongArgument) in
        let isSet = unsafe try Argument.accessControl(accessControl).setProtection(
            try Argument.object(protection),
            error
        )
        if isSet { unsafe remember(protection, by: accessControl) }
        return isSet
    }
}

@c(SecAccessControlGetConstraint)
public func secAccessControlGetConstraint(
    _ accessControl: UnsafeRawPointer?,
    _ operation: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe lent(by: accessControl) { () throws(WrongArgument) in
        let operation = String(describing: try unsafe Argument.string(operation))
        return try unsafe Argument.accessControl(accessControl).constraint(of: operation)
    }
}

@c(SecAccessControlGetConstraints)
public func secAccessControlGetConstraints(_ accessControl: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe lent(by: accessControl) { () throws(WrongArgument) in
        try unsafe Argument.accessControl(accessControl).constraints
    }
}

@c(SecAccessControlSetConstraints)
public func secAccessControlSetConstraints(_ pointer: UnsafeRawPointer?, _ constraints: UnsafeRawPointer?) {
    guard let accessControl = unsafe try? Argument.accessControl(pointer) else { return }
    // What is no dictionary allows nothing, as NULL.
    accessControl.setConstraints(unsafe IncomingObject.dictionary(constraints))
    unsafe remember(constraints, by: pointer)
}

@c(SecAccessControlAddConstraintForOperation)
public func secAccessControlAddConstraintForOperation(
    _ accessControl: UnsafeRawPointer?,
    _ operation: UnsafeRawPointer?,
    _ constraint: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    unsafe Outcome.value(orError: error, refused: false) { error throws(WrongArgument) in
        let isSet = unsafe try Argument.accessControl(accessControl).add(
            try Argument.object(constraint),
            for: try Argument.string(operation),
            error
        )
        if isSet { unsafe remember(constraint, by: accessControl) }
        return isSet
    }
}

@c(SecAccessControlRemoveConstraintForOperation)
public func secAccessControlRemoveConstraintForOperation(
    _ accessControl: UnsafeRawPointer?,
    _ operation: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    unsafe Outcome.value(orError: error, refused: false) { error throws(WrongArgument) in
        unsafe try Argument.accessControl(accessControl).removeConstraint(for: try Argument.string(operation), error)
    }
}

@c(SecAccessControlGetRequirePassword)
public func secAccessControlGetRequirePassword(_ accessControl: UnsafeRawPointer?) -> Bool {
    Outcome.value(refused: false) { () throws(WrongArgument) in
        try unsafe Argument.accessControl(accessControl).requiresPassword
    }
}

@c(SecAccessControlSetRequirePassword)
public func secAccessControlSetRequirePassword(_ accessControl: UnsafeRawPointer?, _ require: Bool) {
    unsafe (try? Argument.accessControl(accessControl))?.requiresPassword = require
}

@c(SecAccessControlIsBound)
public func secAccessControlIsBound(_ accessControl: UnsafeRawPointer?) -> Bool {
    Outcome.value(refused: false) { () throws(WrongArgument) in
        try unsafe Argument.accessControl(accessControl).isBound
    }
}

@c(SecAccessControlSetBound)
public func secAccessControlSetBound(_ accessControl: UnsafeRawPointer?, _ bound: Bool) {
    unsafe (try? Argument.accessControl(accessControl))?.isBound = bound
}

@c(SecAccessControlCopyData)
public func secAccessControlCopyData(_ accessControl: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in try unsafe Argument.accessControl(accessControl).encoded }
}

@c(SecAccessControlCreateFromData)
public func secAccessControlCreateFromData(
    _ allocator: UnsafeRawPointer?,
    _ data: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecAccessControl.decoded(try Argument.data(data), error)
    }
}

/// Has an access control keep an object that it was given, so that the functions that ask for it return the same one.
private func remember(_ object: UnsafeRawPointer?, by accessControl: UnsafeRawPointer?) {
    guard let object = unsafe object else { return }
    _ = unsafe IncomingObject.held(accessControl)?.lend(OutgoingObject.retained(object))
}
