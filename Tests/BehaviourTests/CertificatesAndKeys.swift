import Foundation
import Security
import Testing

/// What every certificate here has as its data: the keychain stores it as it is given.
let certificateData = Data("a certificate".utf8)
/// What every key here has as its data.
let keyData = Data("a key".utf8)
/// The SHA-1 of a public key, as far as the keychain can tell.
let keyHash = Data(1...20)
let otherHash = Data(21...40)

/// A certificate given by attributes and data.
func certificate(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
    certificates([
        kSecAttrIssuer: Data("issuer".utf8), kSecAttrSerialNumber: Data([1]), kSecAttrPublicKeyHash: keyHash,
        kSecAttrLabel: "certificate", kSecValueData: certificateData,
    ]).merging(more) { _, new in new }
}

/// What finds certificates.
func certificates(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
    more.merging([kSecClass: kSecClassCertificate]) { old, _ in old }
}

/// A private key given by attributes and data.
func key(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
    keys([
        kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrKeyType: kSecAttrKeyTypeRSA, "priv": true,
        kSecAttrApplicationLabel: keyHash, kSecAttrLabel: "key", kSecValueData: keyData,
    ]).merging(more) { _, new in new }
}

/// What finds keys.
func keys(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
    more.merging([kSecClass: kSecClassKey]) { old, _ in old }
}

/// What finds identities.
func identities(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
    more.merging([kSecClass: kSecClassIdentity]) { old, _ in old }
}

/// How many items a query finds.
func count(of query: [CFString: Any]) throws -> Int {
    try allAttributes(of: query).count
}

/// The two stored classes of which identities are made, for rules that hold for both.
enum IdentityHalf: CaseIterable, CustomTestStringConvertible {
    case certificate
    case key

    var testDescription: String { "\(self)" }

    func item(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
        switch self {
        case .certificate: BehaviourTests.certificate(more)
        case .key: BehaviourTests.key(more)
        }
    }

    func query(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
        switch self {
        case .certificate: certificates(more)
        case .key: keys(more)
        }
    }

    var data: Data {
        switch self {
        case .certificate: certificateData
        case .key: keyData
        }
    }

    var className: String {
        switch self {
        case .certificate: "cert"
        case .key: "keys"
        }
    }
}
