public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainModel

/// The conditions of access to an item: a protection class and constraints.
///
/// Two of them are equal when they demand the same.
public final class SecAccessControl: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and this is all there is to the object.
    //
    // The layout of a public class is part of the module, and no type of an inner module may be: see `Package.swift`.
    private let boxed: AnyObject

    init(_ control: AccessControl) {
        boxed = Box(control)
    }

    var control: AccessControl {
        // Made above and nowhere else.
        unsafe unsafeDowncast(boxed, to: Box.self).control
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecAccessControl)?.control == control
    }

    public override var hash: Int {
        control.hashValue
    }

    public override var description: String {
        let operations = control.operations.filter { $0.name != "dacl" }
        let text = ([control.protection.name] + operations.map { "\($0.name)(\($0.requirement))" })
        return "<SecAccessControlRef: \(text.joined(separator: ";"))>"
    }

    public override var debugDescription: String { description }
}

@_implementationOnly
private final class Box: Sendable {
    let control: AccessControl

    init(_ control: AccessControl) {
        self.control = control
    }
}

extension SecAccessControl: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0001
}

/// The type identifier of access controls.
@discardableResult
public func SecAccessControlGetTypeID() -> CFTypeID {
    SecAccessControl.cfTypeID
}

/// The constraints of an access control.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// A finger or the passcode.
    public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
    /// Any enrolled finger.
    public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
    /// The former name of `biometryAny`.
    public static let touchIDAny = biometryAny
    /// One of the fingers that are enrolled when the item is made.
    public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
    /// The former name of `biometryCurrentSet`.
    public static let touchIDCurrentSet = biometryCurrentSet
    /// The passcode.
    public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
    /// A paired watch.
    public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)
    /// A paired companion device.
    public static let companion = watch
    /// Any one of the constraints.
    public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
    /// All of the constraints.
    public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
    /// The constraints hold for the use of a private key.
    public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
    /// A password of the application's own besides.
    public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)
}

/// Makes an access control.
///
/// - Parameters:
///   - allocator: ignored.
///   - protection: one of the `kSecAttrAccessible…` values.
///   - flags: the constraints. Unknown bits are not an error.
///   - error: receives an error of code `errSecParam` for an invalid protection, and for flags that contradict
///     each other.
///
/// See
/// [SecAccessControlCreateWithFlags](https://developer.apple.com/documentation/security/secaccesscontrolcreatewithflags(_:_:_:_:)).
@discardableResult
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?,
    _ protection: CFTypeRef,
    _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        let name = (protection as? NSString).map { String(describing: $0) } ?? ""
        return SecAccessControl(
            try AccessControl(protection: name, flags: AccessControlFlags(rawValue: flags.rawValue))
        )
    }
}
