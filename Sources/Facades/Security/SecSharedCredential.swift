public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainModel

/// Shares a password of a website with the browser. There is no browser that takes part: the handler gets
/// `errSecUnimplemented`, on another thread.
///
/// See [SecAddSharedWebCredential](https://developer.apple.com/documentation/security/secaddsharedwebcredential(_:_:_:_:)).
public func SecAddSharedWebCredential(
    _ fqdn: CFString,
    _ account: CFString,
    _ password: CFString?,
    _ completionHandler: @escaping @Sendable (CFError?) -> Void
) {
    DispatchQueue.global().async { completionHandler(noSharedCredentials.object) }
}

/// Asks for a password of a website that the browser has. There is no browser that takes part: the handler gets
/// `errSecUnimplemented`, on another thread.
///
/// See [SecRequestSharedWebCredential](https://developer.apple.com/documentation/security/secrequestsharedwebcredential(_:_:_:)).
@available(*, deprecated, message: "Use ASAuthorizationController on Apple's platforms")
public func SecRequestSharedWebCredential(
    _ fqdn: CFString?,
    _ account: CFString?,
    _ completionHandler: @escaping @Sendable (CFArray?, CFError?) -> Void
) {
    DispatchQueue.global().async { completionHandler(nil, noSharedCredentials.object) }
}

/// Makes a password that is hard to guess and easy to type: four groups of three characters, `xxx-xxx-xxx-xxx`.
///
/// The characters are letters and digits without those that look alike (I, O, l, o, 0, 1), and at least one is an upper
/// case letter, one a lower case letter and one a digit.
///
/// - Returns: nil only if the system has no random bytes to give.
///
/// See [SecCreateSharedWebCredentialPassword](https://developer.apple.com/documentation/security/seccreatesharedwebcredentialpassword()).
@discardableResult
public func SecCreateSharedWebCredentialPassword() -> CFString? {
    unsafe GeneratedPasswords.password(type: PasswordFormat.safari.rawValue, requirements: nil, nil)
}

private let noSharedCredentials = KeychainError(.unimplemented, "no browser shares its passwords here")
