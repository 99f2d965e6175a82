import Foundation
import Security

// Without a completion block nothing happens.

@c(SecAddSharedWebCredential)
public func secAddSharedWebCredential(
    _ domain: UnsafeRawPointer?,
    _ account: UnsafeRawPointer?,
    _ password: UnsafeRawPointer?,
    _ completion: UnsafeRawPointer?
) {
    guard let block = try? unsafe Block(completion) else { return }
    @Sendable func tell(_ error: CFError?) {
        let object = unsafe OutgoingObject.object(error)
        unsafe block.call(error: object)
        unsafe OutgoingObject.release(object)
    }
    do throws(WrongArgument) {
        unsafe SecAddSharedWebCredential(
            try Argument.string(domain),
            try Argument.string(account),
            try Argument.optionalString(password),
            tell
        )
    } catch {
        tell(Outcome.wrongArgument)
    }
}

@available(*, deprecated)
@c(SecRequestSharedWebCredential)
public func secRequestSharedWebCredential(
    _ domain: UnsafeRawPointer?,
    _ account: UnsafeRawPointer?,
    _ completion: UnsafeRawPointer?
) {
    guard let block = try? unsafe Block(completion) else { return }
    @Sendable func tell(_ credentials: CFArray?, _ error: CFError?) {
        let objects = unsafe (OutgoingObject.object(credentials), OutgoingObject.object(error))
        unsafe block.call(objects: objects.0, error: objects.1)
        unsafe OutgoingObject.release(objects.0)
        unsafe OutgoingObject.release(objects.1)
    }
    do throws(WrongArgument) {
        unsafe SecRequestSharedWebCredential(
            try Argument.optionalString(domain),
            try Argument.optionalString(account),
            tell
        )
    } catch {
        tell(nil, Outcome.wrongArgument)
    }
}

@c(SecCreateSharedWebCredentialPassword)
public func secCreateSharedWebCredentialPassword() -> UnsafeRawPointer? {
    unsafe OutgoingObject.object(SecCreateSharedWebCredentialPassword())
}
