import FuzzSupport

@testable import KeychainModel

/// The access control of a row. The first byte of an input chooses the row's accessibility class.
///
/// What is read is written as it was, and means what it meant. The same bytes are read as what C programs keep of an
/// access control.
@main
enum FuzzAccessControl: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        var source = ByteSource(bytes)
        let accessibility = source.choice(of: Accessibility.allCases)
        let stored = source.rest()
        if let rules = try? AccessControlRules(encoded: stored) {
            require(rules.encoded == stored, "an encoding that is taken is the only one")
            if let control = try? rules.control {
                let reading = AccessControlRules(control).constraint(for: "od")
                let asked = rules.constraint(for: "od")
                require(asked == .always || reading != .always, "what is demanded for reading is not waived")
            }
        }
        guard let control = AccessControl(serialized: stored, accessibility: accessibility) else { return }
        require(control.serialized == stored, "a stored form that is taken is the only one")
        require(control.protection == .accessibility(accessibility), "the row's class is the access control's")
        require(control.isBare == stored.isEmpty, "only an empty form stands for no access control")
        let again = AccessControl(serialized: control.serialized, accessibility: accessibility)
        require(again == control, "what is written is read as the same")
    }

    static func seeds() throws -> [String: [UInt8]] {
        func stored(_ flags: AccessControlFlags) throws -> [UInt8] {
            [0] + (try AccessControl(protection: Accessibility.allCases[0].rawValue, flags: flags)).serialized
        }
        return [
            "bare": [0], "no-flags": try stored([]), "presence": try stored(.userPresence),
            "any-of-two": try stored([.biometryAny, .devicePasscode, .or]),
            "private-key": try stored([.privateKeyUsage, .biometryCurrentSet]),
            "application-password": try stored(.applicationPassword),
        ]
    }
}
