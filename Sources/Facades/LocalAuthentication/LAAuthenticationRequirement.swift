public import Foundation
import Security

/// What a person has to prove before a right is theirs.
///
/// See <https://developer.apple.com/documentation/localauthentication/laauthenticationrequirement>.
public final class LAAuthenticationRequirement: NSObject, Sendable {
    enum Kind: Sendable, Hashable {
        case owner
        case biometry
        case biometryCurrentSet
    }

    let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// A finger, or the passcode.
    public static var `default`: LAAuthenticationRequirement { LAAuthenticationRequirement(.owner) }

    /// A finger.
    public static var biometry: LAAuthenticationRequirement { LAAuthenticationRequirement(.biometry) }

    /// A finger, as long as no finger is enrolled or removed.
    public static var biometryCurrentSet: LAAuthenticationRequirement {
        LAAuthenticationRequirement(.biometryCurrentSet)
    }

    /// A finger, or what takes its place.
    public static func biometry(fallback: LABiometryFallbackRequirement) -> LAAuthenticationRequirement {
        // Both fallbacks are the passcode: no companion device is known here.
        LAAuthenticationRequirement(.owner)
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? LAAuthenticationRequirement)?.kind == kind
    }

    public override var hash: Int { kind.hashValue }
}

/// What takes a finger's place.
///
/// See <https://developer.apple.com/documentation/localauthentication/labiometryfallbackrequirement>.
public final class LABiometryFallbackRequirement: NSObject, Sendable {
    private override init() {}

    /// The passcode.
    public static let `default` = LABiometryFallbackRequirement()

    /// The passcode.
    public static let devicePasscode = LABiometryFallbackRequirement()
}

extension LAAuthenticationRequirement {
    var flags: SecAccessControlCreateFlags {
        switch kind {
        case .owner: .userPresence
        case .biometry: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        }
    }

    /// What the enclave is to demand for an item that the requirement guards.
    func accessControl(adding more: SecAccessControlCreateFlags = []) throws -> SecAccessControl {
        var error: Unmanaged<CFError>?
        guard
            let control = unsafe SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                flags.union(more),
                &error
            )
        else { throw unsafe RightError.reported(error) }
        return control
    }
}
