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
        unsafe try Argument.accessControl(accessControl).setProtection(try Argument.object(protection), error)
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
public func secAccessControlSetConstraints(_ accessControl: UnsafeRawPointer?, _ constraints: UnsafeRawPointer?) {
    guard let accessControl = unsafe try? Argument.accessControl(accessControl) else { return }
    // What is no dictionary allows nothing, as NULL.
    accessControl.setConstraints(unsafe IncomingObject.dictionary(constraints))
}

@c(SecAccessControlAddConstraintForOperation)
public func secAccessControlAddConstraintForOperation(
    _ accessControl: UnsafeRawPointer?,
    _ operation: UnsafeRawPointer?,
    _ constraint: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    unsafe Outcome.value(orError: error, refused: false) { error throws(WrongArgument) in
        unsafe try Argument.accessControl(accessControl).add(
            try Argument.object(constraint),
            for: try Argument.string(operation),
            error
        )
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
