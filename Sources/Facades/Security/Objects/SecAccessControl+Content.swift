package import Foundation

@_implementationOnly import KeychainModel

// What C programs read of an access control, and Swift programs cannot.
extension SecAccessControl {
    /// The name of the protection class.
    package var protectionName: String { control.protection.name }

    /// What an operation (`od`: reading, `odel`: deleting, …) demands: true for nothing, else a dictionary of constraints,
    /// which under `ckon` says how many of them have to hold.
    ///
    /// - Returns: nil where nothing is said of the operation, nor of all that are not named.
    package func constraint(of operation: String) -> NSObject? {
        let operations = control.operations
        let found = operations.first { $0.name == operation } ?? operations.first { $0.name == "dacl" }
        return found.map { Self.object($0.requirement) }
    }

    /// Reads `true`, `name(value)` and `ckon(number;name(value),…)`.
    private static func object(_ requirement: String) -> NSObject {
        guard requirement != "true" else { return NSNumber(value: true) }
        let constraints = NSMutableDictionary()
        var list = requirement
        if requirement.hasPrefix("ckon("), let semicolon = requirement.firstIndex(of: ";") {
            let number = requirement[..<semicolon].dropFirst("ckon(".count)
            constraints["ckon"] = NSNumber(value: Int(number) ?? 0)
            list = String(requirement[semicolon...].dropFirst().dropLast())
        }
        for constraint in list.split(separator: ",") {
            let parts = constraint.dropLast().split(separator: "(", maxSplits: 1)
            guard let name = parts.first, let value = parts.last, parts.count == 2 else { continue }
            constraints[String(name)] = value == "true" ? NSNumber(value: true) : String(value) as NSString
        }
        return constraints
    }
}
