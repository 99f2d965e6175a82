import Foundation
import Security
import Testing

/// The value of every item that is made here.
let secret = Data("secret".utf8)

/// A generic password with the given account and service.
func password(account: Any = "alice", service: Any = "mail", _ more: [CFString: Any] = [:]) -> [CFString: Any] {
    query(account: account, service: service, [kSecValueData: secret]).merging(more) { _, new in new }
}

/// What finds the generic password with the given account and service.
func query(account: Any = "alice", service: Any = "mail", _ more: [CFString: Any] = [:]) -> [CFString: Any] {
    genericPasswords([kSecAttrAccount: account, kSecAttrService: service]).merging(more) { _, new in new }
}

/// What finds generic passwords.
func genericPasswords(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
    more.merging([kSecClass: kSecClassGenericPassword]) { old, _ in old }
}

/// An internet password with the given account and server.
func website(account: Any = "alice", server: Any = "example.com", _ more: [CFString: Any] = [:]) -> [CFString: Any] {
    internetPasswords([kSecAttrAccount: account, kSecAttrServer: server, kSecValueData: secret])
        .merging(more) { _, new in new }
}

/// What finds internet passwords.
func internetPasswords(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
    more.merging([kSecClass: kSecClassInternetPassword]) { old, _ in old }
}

/// The two classes of passwords, for rules that hold for both.
enum PasswordClass: CaseIterable, CustomTestStringConvertible {
    case generic
    case internet

    var testDescription: String { "\(self)" }

    /// What finds all items of the class.
    var query: [CFString: Any] { query() }

    func query(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
        switch self {
        case .generic: genericPasswords(more)
        case .internet: internetPasswords(more)
        }
    }

    /// An item of the class.
    func item(account: Any = "alice", _ more: [CFString: Any] = [:]) -> [CFString: Any] {
        query([kSecAttrAccount: account, kSecValueData: secret]).merging(more) { _, new in new }
    }
}
