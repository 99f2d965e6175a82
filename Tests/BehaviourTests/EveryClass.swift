import Foundation
import Security
import Testing

/// All five classes, for rules that hold for each of them.
enum EveryClass: CaseIterable, CustomTestStringConvertible {
    case genericPassword
    case internetPassword
    case certificate
    case key
    case identity

    var testDescription: String { "\(self)" }

    var name: String { query()["class"] as? String ?? "" }

    /// What finds items of the class.
    func query(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
        switch self {
        case .genericPassword: genericPasswords(more)
        case .internetPassword: internetPasswords(more)
        case .certificate: certificates(more)
        case .key: keys(more)
        case .identity: identities(more)
        }
    }

    /// What is added for an item of the class, which another number makes a different one. An identity is a certificate
    /// and its key.
    func parts(_ number: UInt8 = 1, _ more: [CFString: Any] = [:]) -> [[CFString: Any]] {
        let hash = Data(repeating: number, count: 20)
        let ofCertificate = BehaviourTests.certificate([
            kSecAttrSerialNumber: Data([number]), kSecAttrPublicKeyHash: hash,
        ])
        let ofKey = BehaviourTests.key([kSecAttrApplicationLabel: hash])
        let parts =
            switch self {
            case .genericPassword: [password(account: "\(number)")]
            case .internetPassword: [website(account: "\(number)")]
            case .certificate: [ofCertificate]
            case .key: [ofKey]
            case .identity: [ofCertificate, ofKey]
            }
        return parts.map { $0.merging(more) { _, new in new } }
    }

    /// Adds such an item.
    func addItem(_ number: UInt8 = 1, _ more: [CFString: Any] = [:]) {
        for part in parts(number, more) { #expect(add(part) == errSecSuccess) }
    }

    /// What `SecItemAdd` is asked for an item. An identity is refused in any case.
    func item(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
        self == .identity ? query(more) : parts(1, more)[0]
    }

    /// The value of each item of the class.
    var data: Data {
        switch self {
        case .genericPassword, .internetPassword: secret
        case .certificate: certificateData
        case .key, .identity: keyData
        }
    }

    /// Whether its items are returned as objects, where their data makes one.
    var hasObjects: Bool { self == .certificate }
}
