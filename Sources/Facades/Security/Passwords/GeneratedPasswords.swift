import CoreFoundationAliases
package import Foundation

@_implementationOnly import KeychainModel

/// Makes passwords, for C programs and `SecCreateSharedWebCredentialPassword`.
package enum GeneratedPasswords {
    /// A password of a type, or of requirements.
    ///
    /// - Parameters:
    ///   - type: a number of `SecPasswordType`.
    ///   - requirements: nil, or a dictionary that says `PasswordDefaultForType`, for the type's own format. Types for
    ///     people to copy (recovery keys, PINs) have no other.
    ///   - error: receives `errSecParam` for another type, and for requirements that are incomplete, of other types, or
    ///     contradict each other.
    package static func password(
        type: UInt32,
        requirements: NSDictionary?,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> NSString? {
        unsafe reporting(to: error) { () throws(KeychainError) in
            let format = try format(type)
            guard let requirements, format == .safari || format == .wifi, !asksForDefault(requirements) else {
                return try format.newPassword() as NSString
            }
            return try PasswordRequirements(requirements).newPassword() as NSString
        }
    }

    private static func asksForDefault(_ requirements: NSDictionary) -> Bool {
        switch requirements.object(forKey: "PasswordDefaultForType" as NSString) {
        case let flag as NSNumber: flag.boolValue
        case let text as NSString: text.isEqual(to: "true")
        default: false
        }
    }

    private static func format(_ type: UInt32) throws(KeychainError) -> PasswordFormat {
        guard let format = PasswordFormat(rawValue: type) else {
            throw KeychainError(.invalidParameter, "there is no such type of passwords")
        }
        return format
    }

    /// `PasswordGroupSize` and `PasswordNumberOfGroups` of a type's own format.
    package static func defaultLength(
        type: UInt32,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> NSDictionary? {
        unsafe reporting(to: error) { () throws(KeychainError) in
            let format = try format(type)
            return ["PasswordGroupSize": format.groupSize, "PasswordNumberOfGroups": format.numberOfGroups]
                as NSDictionary
        }
    }

    /// Whether a password has a type's own format.
    ///
    /// - Parameter error: receives `errSecParam` where it has not.
    package static func isFormat(
        type: UInt32,
        of password: NSString,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> Bool {
        let valid: Void? = unsafe reporting(to: error) { () throws(KeychainError) in
            guard try format(type).isFormat(of: String(describing: password)) else {
                throw KeychainError(.invalidParameter, "the password has not the format of its type")
            }
        }
        return valid != nil
    }

    /// So many decimal digits, from 1 to 1,024.
    ///
    /// - Parameter error: receives `errSecParam` for another number.
    package static func digits(_ count: Int, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> NSString? {
        unsafe reporting(to: error) { () throws(KeychainError) in
            guard (1...1024).contains(count) else {
                throw KeychainError(.invalidParameter, "there are from 1 to 1024 digits")
            }
            var draw = RandomDraw()
            var digits = ""
            for _ in 0..<count { digits += String(try draw.number(below: 10)) }
            return digits as NSString
        }
    }
}
