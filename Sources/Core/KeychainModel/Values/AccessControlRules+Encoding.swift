/// The rules as DER: what C programs keep of an access control.
///
/// A dictionary is a SET of SEQUENCEs of a UTF8String and a value, text a UTF8String, data an OCTET STRING, and so on.
/// The keys are `prot` (the protection class), `acl` (the constraints), `pwd` (an application password) and `bnd`
/// (bound), and those of the constraints themselves.
extension AccessControlRules {
    /// The one encoding of these rules.
    package var encoded: [UInt8] {
        var entries: [String: DERValue] = [:]
        if let protection { entries["prot"] = .text(protection.name) }
        if !constraints.isEmpty { entries["acl"] = .dictionary(constraints.mapValues(\.value)) }
        if needsApplicationPassword { entries["pwd"] = .boolean(true) }
        if isBound { entries["bnd"] = .boolean(true) }
        return DERValue.dictionary(entries).encoded
    }

    /// - Throws: `undecodable` for anything but what `encoded` makes.
    package init(encoded: [UInt8]) throws(KeychainError) {
        guard case .dictionary(let entries)? = DERValue(encoded) else { throw .notRules }
        self.init()
        for (key, value) in entries {
            switch (key, value) {
            case ("prot", .text(let name)): try setProtection(name)
            case ("pwd", .boolean(let flag)): needsApplicationPassword = flag
            case ("bnd", .boolean(let flag)): isBound = flag
            case ("acl", .dictionary(let constraints)):
                for (operation, value) in constraints {
                    guard let constraint = AccessConstraint(value) else { throw .notRules }
                    try set(constraint, for: operation)
                }
            default: throw .notRules
            }
        }
        guard self.encoded == encoded else { throw .notRules }
    }
}

extension KeychainError {
    fileprivate static let notRules = KeychainError(.undecodable, "the data are no access control")
}

extension AccessConstraint {
    /// As dictionaries have it.
    package var value: DERValue {
        switch self {
        case .always: .boolean(true)
        case .never: .boolean(false)
        case .factors(let factors): .dictionary(AccessFactor.entries(factors))
        case .unknown(let entries): .dictionary(entries)
        }
    }

    /// - Returns: nil for a value that is neither a Boolean nor a dictionary.
    package init?(_ value: DERValue) {
        switch value {
        case .boolean(let flag): self = flag ? .always : .never
        case .dictionary(let entries):
            self = AccessFactor.factors(entries).flatMap { AccessConstraint(factors: $0) } ?? .unknown(entries)
        default: return nil
        }
    }
}
