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
    // About one in ten lacks a kind of character and is thrown away whole, so that all others are equally likely.
    while let characters = randomCharacters(12) {
        guard characters.contains(where: \.isUppercase), characters.contains(where: \.isLowercase),
            characters.contains(where: \.isNumber)
        else { continue }
        let groups = stride(from: 0, to: 12, by: 3).map { String(characters.dropFirst($0).prefix(3)) }
        return groups.joined(separator: "-") as NSString
    }
    return nil
}

private func randomCharacters(_ count: Int) -> [Character]? {
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789")
    var characters: [Character] = []
    while characters.count < count {
        var byte: UInt8 = 0
        guard unsafe SecRandomCopyBytes(kSecRandomDefault, 1, &byte) == errSecSuccess else { return nil }
        // Bytes at the end, which would make some characters likelier than others, are thrown away.
        guard Int(byte) < 256 / alphabet.count * alphabet.count else { continue }
        characters.append(alphabet[Int(byte) % alphabet.count])
    }
    return characters
}

private let noSharedCredentials = KeychainError(.unimplemented, "no browser shares its passwords here")
