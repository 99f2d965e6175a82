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
    if let given = unsafe IncomingObject.held(accessControl)?.given(as: Place.protection) { return unsafe given }
    return unsafe lent(by: accessControl) { () throws(WrongArgument) in
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
        if isSet { unsafe IncomingObject.held(accessControl)?.keep(protection, as: Place.protection) }
        return isSet
    }
}

@c(SecAccessControlGetConstraint)
public func secAccessControlGetConstraint(
    _ accessControl: UnsafeRawPointer?,
    _ operation: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.value(refused: nil) { () throws(WrongArgument) in
        let operation = String(describing: try unsafe Argument.string(operation))
        let held = unsafe IncomingObject.held(accessControl)
        guard let constraint = try unsafe Argument.accessControl(accessControl).constraint(of: operation) else {
            return nil
        }
        if let given = unsafe held?.given(as: Place.constraint + operation) { return unsafe given }
        return unsafe held?.lend(OutgoingObject.object(constraint))
    }
}

@c(SecAccessControlGetConstraints)
public func secAccessControlGetConstraints(_ accessControl: UnsafeRawPointer?) -> UnsafeRawPointer? {
    if let given = unsafe IncomingObject.held(accessControl)?.given(as: Place.constraints) { return unsafe given }
    return unsafe lent(by: accessControl) { () throws(WrongArgument) in
        try unsafe Argument.accessControl(accessControl).constraints
    }
}

@c(SecAccessControlSetConstraints)
public func secAccessControlSetConstraints(_ pointer: UnsafeRawPointer?, _ constraints: UnsafeRawPointer?) {
    guard let accessControl = unsafe try? Argument.accessControl(pointer) else { return }
    // What is no dictionary allows nothing, as NULL.
    let given = unsafe IncomingObject.dictionary(constraints)
    accessControl.setConstraints(given)
    let held = unsafe IncomingObject.held(pointer)
    held?.forget(allBeginning: Place.constraint)
    // What is refused leaves none.
    let isSet = given.map { $0.count > 0 && accessControl.constraints?.count == $0.count } ?? false
    unsafe held?.keep(isSet ? constraints : nil, as: Place.constraints)
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
        let held = unsafe IncomingObject.held(accessControl)
        if isSet {
            unsafe held?.keep(constraint, as: Place.constraint + String(describing: try Argument.string(operation)))
            unsafe held?.keep(nil, as: Place.constraints)
        }
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
        let name = try unsafe Argument.string(operation)
        let isRemoved = unsafe try Argument.accessControl(accessControl).removeConstraint(for: name, error)
        if isRemoved {
            let held = unsafe IncomingObject.held(accessControl)
            unsafe held?.keep(nil, as: Place.constraint + String(describing: name))
            unsafe held?.keep(nil, as: Place.constraints)
        }
        return isRemoved
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

/// As what an access control keeps the objects that it was given.
private enum Place {
    static let protection = "protection"
    static let constraints = "constraints"
    static let constraint = "constraint of "
}
