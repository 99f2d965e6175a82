import Foundation
import Security

/// What a call of the keychain's answers, as an error.
public struct Status: Error, Equatable, CustomStringConvertible {
    public let code: OSStatus

    public init(code: OSStatus) { self.code = code }

    public var description: String {
        (SecCopyErrorMessageString(code, nil) as String?) ?? "OSStatus \(code)"
    }

    static func check(_ code: OSStatus, except tolerated: OSStatus...) throws {
        guard code == errSecSuccess || tolerated.contains(code) else { throw Status(code: code) }
    }
}

extension Status: CustomNSError {
    public static let errorDomain = "com.example.ChainedKeychain.error"
    public var errorCode: Int { Int(code) }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
