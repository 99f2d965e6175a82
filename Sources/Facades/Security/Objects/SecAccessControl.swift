public import CoreFoundationAliases
public import Foundation
import Synchronization

@_implementationOnly import KeychainModel

/// The conditions of access to an item: a protection class and constraints.
///
/// Two of them are equal when they demand the same.
public final class SecAccessControl: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and this is all there is to the object.
    //
    // The layout of a public class is part of the module, and no type of an inner module may be: see `Package.swift`.
    private let boxed: AnyObject

    convenience init(_ control: AccessControl) {
        self.init(.made(control))
    }

    init(_ content: AccessControlContent) {
        boxed = Box(content)
    }

    /// What the keychain enforces.
    ///
    /// - Throws: for one that was put together of what the keychain cannot enforce: see `AccessControlRules`.
    var control: AccessControl {
        get throws(KeychainError) {
            switch content {
            case .made(let control): control
            case .built(let rules): try rules.control
            }
        }
    }

    /// What is demanded, operation by operation.
    var rules: AccessControlRules { content.rules }

    /// Changes what is demanded: only what was put together by a C program changes after it was made.
    func change(_ body: (inout AccessControlRules) throws(KeychainError) -> Void) throws(KeychainError) {
        try box.content.withLock { content throws(KeychainError) in
            var rules = content.rules
            try body(&rules)
            content = .built(rules)
        }
    }

    private var content: AccessControlContent { box.content.withLock { $0 } }

    private var box: Box {
        // Made above and nowhere else.
        unsafe unsafeDowncast(boxed, to: Box.self)
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecAccessControl else { return false }
        if case .made(let own) = content, case .made(let others) = other.content { return own == others }
        return rules == other.rules
    }

    public override var hash: Int {
        rules.hashValue
    }

    public override var description: String {
        let operations: [(name: String, requirement: String)]
        switch content {
        case .made(let control): operations = control.operations.filter { $0.name != "dacl" }
        case .built(let rules): operations = rules.listing
        }
        let text = ([rules.protection?.name ?? "none"] + operations.map { "\($0.name)(\($0.requirement))" })
        return "<SecAccessControlRef: \(text.joined(separator: ";"))>"
    }

    public override var debugDescription: String { description }
}

/// What an access control was made of.
@_implementationOnly
enum AccessControlContent: Sendable {
    case made(AccessControl)
    case built(AccessControlRules)

    var rules: AccessControlRules {
        switch self {
        case .made(let control): AccessControlRules(control)
        case .built(let rules): rules
        }
    }
}

@_implementationOnly
private final class Box: Sendable {
    let content: Mutex<AccessControlContent>

    init(_ content: AccessControlContent) {
        self.content = Mutex(content)
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
