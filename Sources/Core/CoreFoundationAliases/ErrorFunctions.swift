public import Foundation

/// Makes an error.
@discardableResult
public func CFErrorCreate(
    _ allocator: CFAllocator!,
    _ domain: CFErrorDomain!,
    _ code: CFIndex,
    _ userInfo: CFDictionary!
) -> CFError! {
    NSError(domain: domain.map { String(describing: $0) } ?? "", code: code, userInfo: userInfo as? [String: Any])
}

/// The code of an error.
@discardableResult
public func CFErrorGetCode(_ err: CFError!) -> CFIndex {
    err.code
}

/// The domain of an error.
@discardableResult
public func CFErrorGetDomain(_ err: CFError!) -> CFErrorDomain! {
    NSString(string: err.domain)
}

/// A sentence for people that says what went wrong.
@discardableResult
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! {
    NSString(string: err.localizedDescription)
}

/// A sentence for people that says why it went wrong, if that is known.
@discardableResult
public func CFErrorCopyFailureReason(_ err: CFError!) -> CFString! {
    err.localizedFailureReason.map { NSString(string: $0) }
}

/// A sentence for people that says what they can do about it, if that is known.
@discardableResult
public func CFErrorCopyRecoverySuggestion(_ err: CFError!) -> CFString! {
    err.localizedRecoverySuggestion.map { NSString(string: $0) }
}

/// The details of an error.
@discardableResult
public func CFErrorCopyUserInfo(_ err: CFError!) -> CFDictionary! {
    err.userInfo as NSDictionary
}
