public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

/// A process, as one that asks for its entitlements sees it. There is one: the process itself.
public final class SecTask: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and nothing of this changes.
    fileprivate let identifier: String?
    /// Immutable, as all that is in it.
    fileprivate let entitlements: NSDictionary
    /// Why the entitlements are not known.
    fileprivate let failure: NSError?

    fileprivate init(_ body: () throws(KeychainError) -> OwnEntitlements) {
        do throws(KeychainError) {
            let own = try body()
            let values = try own.values
            identifier = own.identifier
            entitlements = values
            failure = nil
        } catch {
            identifier = nil
            entitlements = [:]
            failure = error.object
        }
    }

    /// A task of a program with these entitlements, an XML property list, for tests.
    package convenience init(entitlements: Data?, identifier: String?) {
        self.init { () throws(KeychainError) in
            try OwnEntitlements(propertyList: entitlements, identifier: identifier)
        }
    }

    fileprivate func reported(to place: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> SecTask? {
        if let failure { unsafe place?.pointee = Unmanaged.passRetained(failure) }
        return failure == nil ? self : nil
    }
}

extension SecTask: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0007
}

/// The type identifier of tasks.
@discardableResult
public func SecTaskGetTypeID() -> CFTypeID {
    SecTask.cfTypeID
}

/// Makes a task for this process, with the entitlements that it has at this moment.
///
/// - Parameter allocator: ignored.
///
/// See [SecTaskCreateFromSelf](https://developer.apple.com/documentation/security/sectaskcreatefromself(_:)).
@discardableResult
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? {
    SecTask { () throws(KeychainError) in try OwnEntitlements.ofThisProcess() }
}

/// The value of one entitlement: text, a Boolean, a number, or a list or dictionary of them.
///
/// A signed program has the entitlements of its signature. With a keychain service it has them if the service has verified
/// the signature, and none otherwise; where no service answers, they are read as they stand there. An unsigned program has
/// those of its embedded keychain, and none with the service.
///
/// - Parameter error: receives `errSecMissingEntitlement` where the program's entitlements cannot be understood, or the
///   service refuses its signature.
/// - Returns: nil for an entitlement that the program does not have, which is no error.
///
/// See
/// [SecTaskCopyValueForEntitlement](https://developer.apple.com/documentation/security/sectaskcopyvalueforentitlement(_:_:_:)).
@discardableResult
public func SecTaskCopyValueForEntitlement(
    _ task: SecTask,
    _ entitlement: CFString,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? {
    unsafe task.reported(to: error)?.entitlements.object(forKey: entitlement).map { $0 as AnyObject }
}

/// The values of several entitlements, by their names. Those that the program does not have are left out.
///
/// - Parameter error: receives `errSecParam` for a name that is no string, and as `SecTaskCopyValueForEntitlement` has
///   it.
///
/// See
/// [SecTaskCopyValuesForEntitlements](https://developer.apple.com/documentation/security/sectaskcopyvaluesforentitlements(_:_:_:)).
@discardableResult
public func SecTaskCopyValuesForEntitlements(
    _ task: SecTask,
    _ entitlements: CFArray,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    guard let task = unsafe task.reported(to: error) else { return nil }
    return unsafe reporting(to: error) { () throws(KeychainError) in
        let values = NSMutableDictionary()
        for name in entitlements {
            guard let name = name as? String else {
                throw KeychainError(.invalidParameter, "the name of an entitlement is no string")
            }
            values[name as NSString] = task.entitlements.object(forKey: name as NSString)
        }
        return values.copy() as? NSDictionary
    }
}

/// The identifier of the program, without the team's prefix; of an unsigned program with an embedded keychain, its
/// bundle identifier or its name.
///
/// - Parameter error: as `SecTaskCopyValueForEntitlement` has it.
/// - Returns: nil for an unsigned program with the service.
@discardableResult
public func SecTaskCopySigningIdentifier(
    _ task: SecTask,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    unsafe task.reported(to: error)?.identifier.map { $0 as NSString }
}

extension OwnEntitlements {
    /// The values as objects.
    fileprivate var values: NSDictionary {
        get throws(KeychainError) {
            guard let propertyList else { return [:] }
            let list = unsafe try? PropertyListSerialization.propertyList(from: propertyList, options: [], format: nil)
            guard let values = list.map(object) as? NSDictionary else {
                throw KeychainError(.missingEntitlement, "the entitlements file is no property list with a dictionary")
            }
            return values
        }
    }

    private func object(_ value: Any) -> Any {
        switch value {
        case let text as String: expanded(text) as NSString
        case let list as [Any]: list.map(object) as NSArray
        case let dictionary as [String: Any]: dictionary.mapValues(object) as NSDictionary
        default: value
        }
    }
}
