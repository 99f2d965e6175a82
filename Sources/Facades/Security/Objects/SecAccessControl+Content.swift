import CoreFoundationAliases
package import Foundation

@_implementationOnly import KeychainModel

// What C programs read and change of an access control, and Swift programs cannot.
extension SecAccessControl {
    /// An access control without a protection class, which allows nothing.
    package static func empty() -> SecAccessControl {
        SecAccessControl(.built(AccessControlRules()))
    }

    /// The name of the protection class; nil for none.
    package var protectionName: String? { rules.protection?.name }

    /// - Parameter error: receives `errSecParam` for anything but a protection class.
    /// - Returns: whether it is the protection class now.
    package func setProtection(_ value: NSObject, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> Bool {
        unsafe change(orReport: error) { (rules) throws(KeychainError) in
            try rules.setProtection((value as? NSString).map { String(describing: $0) } ?? "")
        }
    }

    /// What an operation (`od`: reading, `odel`: deleting, …) demands: true for nothing, else a dictionary of
    /// constraints.
    ///
    /// - Returns: nil where the operation is not allowed.
    package func constraint(of operation: String) -> NSObject? {
        let constraint = rules.constraint(for: operation)
        return constraint == .never ? nil : constraint.value.object
    }

    /// All constraints, by operation; nil for none.
    package var constraints: NSDictionary? {
        let constraints = rules.constraints
        return constraints.isEmpty ? nil : constraints.mapValues(\.value.object) as NSDictionary
    }

    /// Says what an operation demands.
    ///
    /// - Parameters:
    ///   - constraint: true, false, or what `AccessConstraints` makes.
    ///   - error: receives `errSecParam` for another type of constraint, and an operation without a name.
    /// - Returns: whether it is demanded now.
    package func add(
        _ constraint: NSObject,
        for operation: NSObject,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> Bool {
        unsafe change(orReport: error) { (rules) throws(KeychainError) in
            try rules.set(AccessConstraint(object: constraint), for: operation as? String ?? "")
        }
    }

    /// Takes back what was said of an operation.
    package func removeConstraint(
        for operation: NSObject,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> Bool {
        unsafe change(orReport: error) { (rules) throws(KeychainError) in
            try rules.set(nil, for: operation as? String ?? "")
        }
    }

    /// Replaces all constraints. Where one of them is none, nothing is allowed any more.
    package func setConstraints(_ constraints: NSDictionary?) {
        do throws(KeychainError) {
            try change { (rules) throws(KeychainError) in
                rules.removeAllConstraints()
                for (operation, constraint) in constraints ?? [:] {
                    guard let operation = operation as? String, let constraint = constraint as? NSObject else {
                        throw AccessConstraint.notOne
                    }
                    try rules.set(AccessConstraint(object: constraint), for: operation)
                }
            }
        } catch {
            try? change { (rules) throws(KeychainError) in rules.removeAllConstraints() }
        }
    }

    /// Whether a password of the application's own is demanded besides.
    package var requiresPassword: Bool {
        get { rules.needsApplicationPassword }
        set { try? change { (rules) throws(KeychainError) in rules.needsApplicationPassword = newValue } }
    }

    /// Whether it is bound to a key: where it was said, and where nothing else is demanded.
    package var isBound: Bool {
        get { rules.isBound || rules.demandsNothing }
        set { try? change { (rules) throws(KeychainError) in rules.isBound = newValue } }
    }

    /// All of it as DER; the same for the same.
    package var encoded: NSData { NSData(copying: rules.encoded) }

    /// - Parameter error: receives `errSecDecode` for data that are no access control.
    package static func decoded(
        _ data: NSData,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> SecAccessControl? {
        unsafe reporting(to: error) { () throws(KeychainError) in
            SecAccessControl(.built(try AccessControlRules(encoded: Array(data as Data))))
        }
    }

    private func change(
        orReport error: UnsafeMutablePointer<Unmanaged<CFError>?>?,
        _ body: (inout AccessControlRules) throws(KeychainError) -> Void
    ) -> Bool {
        let changed: Void? = unsafe reporting(to: error) { () throws(KeychainError) in try change(body) }
        return changed != nil
    }
}
