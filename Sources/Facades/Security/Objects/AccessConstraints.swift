import CoreFoundationAliases
package import Foundation

@_implementationOnly import KeychainModel

/// Makes constraints: dictionaries, which access controls take for their operations.
package enum AccessConstraints {
    /// A policy of the system's, by its name. The keychain enforces `DeviceOwnerAuthentication` and no other.
    package static func policy(
        _ policy: NSObject,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> NSDictionary? {
        unsafe reporting(to: error) { () throws(KeychainError) in
            guard let name = policy as? NSString else { throw AccessConstraint.notOne }
            return try dictionary(.policy(String(describing: name)))
        }
    }

    package static func passcode() -> NSDictionary? { try? dictionary(.passcode) }

    package static func watch() -> NSDictionary? { try? dictionary(.watch) }

    /// - Parameter set: which fingers; nil and empty data stand for the keychain's own, which alone it can ask for.
    package static func biometryAny(set: NSData?) -> NSDictionary? {
        try? dictionary(.biometryAny(set: set.map { Array($0 as Data) } ?? []))
    }

    /// - Parameters:
    ///   - set: as of `biometryAny(set:)`.
    ///   - database: how the fingers were; nil and empty data stand for how they are when an item is made.
    package static func biometryCurrentSet(set: NSData?, database: NSData?) -> NSDictionary? {
        try? dictionary(
            .biometryCurrentSet(
                set: set.map { Array($0 as Data) } ?? [],
                database: database.map { Array($0 as Data) } ?? []
            )
        )
    }

    /// So many of several constraints, which have to differ in kind.
    ///
    /// - Parameter error: receives `errSecParam` for a number that is not between 1 and theirs, and for what are no
    ///   such constraints.
    package static func kOfN(
        _ required: Int,
        _ constraints: NSArray,
        isValueOnly: Bool,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> NSDictionary? {
        unsafe reporting(to: error) { () throws(KeychainError) in
            var choices: [AccessFactor] = []
            for constraint in constraints {
                guard let constraint = constraint as? NSDictionary,
                    case .factors(let factors) = try AccessConstraint(object: constraint), factors.count == 1
                else { throw AccessConstraint.notOne }
                choices += factors
            }
            guard let factor = AccessFactor(required: required, of: choices) else { throw AccessConstraint.notOne }
            let whole = try dictionary(factor)
            return isValueOnly ? whole.object(forKey: "ckon" as NSString) as? NSDictionary : whole
        }
    }

    /// - Throws: `invalidParameter` for a name or data that are too long.
    private static func dictionary(_ factor: AccessFactor) throws(KeychainError) -> NSDictionary {
        let value = AccessConstraint(factors: [factor])?.value
        // What can be made can be read again.
        guard let value, case .factors? = AccessConstraint(value), let dictionary = value.object as? NSDictionary else {
            throw AccessConstraint.notOne
        }
        return dictionary
    }
}

extension AccessConstraint {
    static let notOne = KeychainError(.invalidParameter, "this is no constraint of an access control")

    /// - Throws: `invalidParameter` for anything but a Boolean and a dictionary that is a constraint.
    init(object: NSObject) throws(KeychainError) {
        guard let value = DERValue(object: object, depth: 0), let constraint = AccessConstraint(value) else {
            throw Self.notOne
        }
        self = constraint
    }
}

extension AccessControlRules {
    /// The operations and what each demands, for a description.
    var listing: [(name: String, requirement: String)] {
        constraints.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value.text) }
    }
}

extension DERValue {
    var object: NSObject {
        switch self {
        case .boolean(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .text(let text): text as NSString
        case .data(let bytes): NSData(copying: bytes)
        case .array(let values): values.map(\.object) as NSArray
        case .dictionary(let entries): entries.mapValues(\.object) as NSDictionary
        }
    }

    /// - Returns: nil for objects of other types, numbers that are not whole, and more or deeper values than anybody has use
    ///   for.
    fileprivate init?(object: Any, depth: Int) {
        switch object {
        case let number as NSNumber where isBoolean(number): self = .boolean(number.boolValue)
        case let number as NSNumber:
            let integer = number.int64Value
            guard NSNumber(value: integer) == number else { return nil }
            self = .integer(Int(integer))
        case let text as String: self = .text(text)
        case let data as Data: self = .data(Array(data))
        case let dictionary as NSDictionary:
            guard depth < Self.deepest, dictionary.count <= Self.most else { return nil }
            var entries: [String: DERValue] = [:]
            for (key, value) in dictionary {
                guard let key = key as? String, let value = DERValue(object: value, depth: depth + 1) else {
                    return nil
                }
                entries[key] = value
            }
            self = .dictionary(entries)
        case let array as NSArray:
            guard depth < Self.deepest, array.count <= Self.most else { return nil }
            var values: [DERValue] = []
            for element in array {
                guard let value = DERValue(object: element, depth: depth + 1) else { return nil }
                values.append(value)
            }
            self = .array(values)
        default: return nil
        }
    }

    private static let deepest = 4
    private static let most = 64
    private static let longestShown = 64

    /// For a description.
    fileprivate var text: String {
        switch self {
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .text(let text): text
        case .data(let bytes):
            bytes.prefix(Self.longestShown).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
                .joined()
                + (bytes.count > Self.longestShown ? "...(\(bytes.count)b)" : "")
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .dictionary(let entries):
            entries.sorted { $0.key < $1.key }.map { "\($0.key)(\($0.value.text))" }.joined()
        }
    }
}
