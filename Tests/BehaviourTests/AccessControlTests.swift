import Foundation
import Security
import Testing

@Suite("Access controls")
struct AccessControlTests {
    /// An access control, or the code of the error that says why there is none.
    private func make(
        _ protection: CFTypeRef = kSecAttrAccessibleWhenUnlocked,
        _ flags: SecAccessControlCreateFlags
    ) -> (control: SecAccessControl?, code: Int?) {
        var error: Unmanaged<CFError>?
        let control = SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, flags, &error)
        return (control, error.map { CFErrorGetCode($0.takeRetainedValue()) })
    }

    private static let every: [SecAccessControlCreateFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch, .or, .and, .privateKeyUsage,
        .applicationPassword,
    ]

    private static let constraints: [SecAccessControlCreateFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch,
    ]

    // MARK: - Making one

    @Test func `the flags have Apple's values and names`() {
        let values: [(SecAccessControlCreateFlags, CFOptionFlags)] = [
            (.userPresence, 0x1), (.biometryAny, 0x2), (.touchIDAny, 0x2), (.biometryCurrentSet, 0x8),
            (.touchIDCurrentSet, 0x8), (.devicePasscode, 0x10), (.watch, 0x20), (.companion, 0x20), (.or, 0x4000),
            (.and, 0x8000), (.privateKeyUsage, 0x4000_0000), (.applicationPassword, 0x8000_0000),
        ]
        for (flag, value) in values { #expect(flag.rawValue == value) }
    }

    @Test func `every combination of flags is accepted or refused by the rules`() {
        for bits in 0..<(1 << Self.every.count) {
            var flags: SecAccessControlCreateFlags = []
            for (index, flag) in Self.every.enumerated() where bits & (1 << index) != 0 { flags.insert(flag) }
            let isContradiction =
                flags.isSuperset(of: [.or, .and]) || flags.isSuperset(of: [.biometryAny, .biometryCurrentSet])
                || flags.contains(.userPresence)
                    && !flags.isSubset(of: [.userPresence, .applicationPassword, .privateKeyUsage])
            let made = make(kSecAttrAccessibleWhenUnlocked, flags)
            #expect((made.control == nil) == isContradiction, "\(flags)")
            #expect(made.code == (isContradiction ? Int(errSecParam) : nil), "\(flags)")
        }
    }

    @Test func `every protection class is accepted, and until reboot too`() {
        for protection in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu", "f"] {
            #expect(make(protection as CFString, []).control != nil, "\(protection)")
            #expect(make(protection as CFString, .userPresence).control != nil, "\(protection)")
        }
    }

    @Test func `any other protection is refused`() {
        for protection in ["", "AK", "ak ", "x", "akk", "kSecAttrAccessibleWhenUnlocked"] {
            #expect(make(protection as CFString, []).code == Int(errSecParam), "\(protection)")
        }
        for protection in [NSNumber(value: 1), NSData(), NSNull(), NSObject()] as [CFTypeRef] {
            #expect(make(protection, []).control == nil)
            #expect(make(protection, []).code == Int(errSecParam))
        }
    }

    @Test func `unknown bits are no error`() {
        for bit in [2, 6, 7, 13, 16, 29, 32, 63] {
            let unknown = SecAccessControlCreateFlags(rawValue: 1 << CFOptionFlags(bit))
            #expect(make(kSecAttrAccessibleWhenUnlocked, unknown).control != nil, "\(bit)")
            #expect(make(kSecAttrAccessibleWhenUnlocked, [unknown, .userPresence]).control != nil, "\(bit)")
        }
    }

    @Test func `a refusal needs no place for its error, and success leaves none`() {
        #expect(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [.or, .and], nil) == nil)
        #expect(make(kSecAttrAccessibleWhenUnlocked, .userPresence).code == nil)
    }

    @Test func `a refusal is an error of the system's status codes`() throws {
        var error: Unmanaged<CFError>?
        _ = SecAccessControlCreateWithFlags(nil, "x" as CFString, [], &error)
        let object = try #require(error).takeRetainedValue() as any Error as NSError
        #expect(object.domain == NSOSStatusErrorDomain)
        #expect(object.code == Int(errSecParam))
    }

    // MARK: - The object

    @Test func `an access control has the type of access controls`() throws {
        let control = try #require(make(kSecAttrAccessibleWhenUnlocked, []).control)
        #expect(CFGetTypeID(control) == SecAccessControlGetTypeID())
        #expect(SecAccessControlGetTypeID() != CFStringGetTypeID())
    }

    @Test func `access controls that demand the same are equal`() throws {
        let same: [(SecAccessControlCreateFlags, SecAccessControlCreateFlags)] = [
            ([], []), ([], .or), ([], .and), ([], SecAccessControlCreateFlags(rawValue: 1 << 6)),
            (.biometryAny, [.biometryAny, .or]), (.biometryAny, [.biometryAny, .and]), (.biometryAny, .touchIDAny),
            ([.biometryAny, .devicePasscode], [.biometryAny, .devicePasscode, .and]), (.watch, .companion),
        ]
        for (left, right) in same {
            let first = try #require(make(kSecAttrAccessibleWhenUnlocked, left).control)
            let second = try #require(make(kSecAttrAccessibleWhenUnlocked, right).control)
            #expect(first == second, "\(left), \(right)")
            #expect(first.hash == second.hash, "\(left), \(right)")
            #expect(CFEqual(first, second))
        }
    }

    @Test func `access controls that demand something else are different`() throws {
        let flags: [SecAccessControlCreateFlags] = [
            [], .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch, .privateKeyUsage,
            .applicationPassword, [.biometryAny, .devicePasscode, .or], [.biometryAny, .devicePasscode, .and],
            [.privateKeyUsage, .userPresence], [.applicationPassword, .userPresence],
        ]
        let controls = try flags.map { try #require(make(kSecAttrAccessibleWhenUnlocked, $0).control) }
        for (index, control) in controls.enumerated() {
            for other in controls[(index + 1)...] { #expect(control != other) }
            let elsewhere = try #require(make(kSecAttrAccessibleAlways, flags[index]).control)
            #expect(control != elsewhere)
        }
        #expect(controls[0] != NSString("ak"))
    }

    @Test func `the description names the protection and what each operation demands`() throws {
        func describe(_ flags: SecAccessControlCreateFlags) throws -> String {
            try #require(make(kSecAttrAccessibleWhenUnlocked, flags).control).description
        }
        for flags in [[], .or, .and, .applicationPassword] as [SecAccessControlCreateFlags] {
            try #expect(describe(flags) == "<SecAccessControlRef: ak>")
        }
        for flag in Self.constraints {
            let constrained = try describe(flag)
            #expect(constrained.hasPrefix("<SecAccessControlRef: ak;od("), "\(flag)")
            #expect(constrained.hasSuffix(";odel(true);oe(true)>"), "\(flag)")
            #expect(!constrained.contains("od(true)"), "\(flag)")
            let key = try describe([flag, .privateKeyUsage])
            #expect(key.contains("oa(true)") && key.contains("odel(true)"), "\(flag)")
            #expect(key.contains("osgn(") && !key.contains("osgn(true)") && !key.contains(";od("), "\(flag)")
        }
        let key = try describe(.privateKeyUsage)
        #expect(key.contains("osgn(true)") && key.contains("odel(true)") && !key.contains(";od("))
    }

    // MARK: - With items

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an ordinary item is returned with an access control of its accessibility and nothing more`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            for accessible in ["ak", "ck", "dk", "aku", "cku", "dku"] {
                #expect(add(itemClass.item([kSecAttrAccessible: accessible])) == errSecSuccess)
                let item = try attributes(of: itemClass.query)
                let control = try #require(item["accc"] as? SecAccessControl)
                #expect(CFGetTypeID(control) == SecAccessControlGetTypeID())
                #expect(control.description == "<SecAccessControlRef: \(accessible)>")
                delete(itemClass.query)
            }
        }
    }

    @Test(arguments: Transport.allCases, ["ak", "ck", "dk", "aku", "cku", "dku"])
    func `an access control without flags is stored and sets the accessibility`(
        transport: Transport,
        accessible: String
    ) throws {
        try withKeychain(transport) {
            let control = try #require(make(accessible as CFString, []).control)
            #expect(add(password([kSecAttrAccessControl: control])) == errSecSuccess)
            let item = try attributes(of: query())
            #expect(item["pdmn"] as? String == accessible)
            #expect(item["accc"] as? SecAccessControl == control)
            try #expect(value(of: query()) == secret)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `an access control made with flags, even none, contradicts an accessibility`(
        transport: Transport,
        call: Call
    ) throws {
        try withKeychain(transport) {
            for flags in [[], .userPresence] as [SecAccessControlCreateFlags] {
                let control = try #require(make(kSecAttrAccessibleWhenUnlocked, flags).control)
                let both: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrAccessible: "ak"]
                #expect(call(password(both)) == errSecParam)
            }
            #expect(find(query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an access control contradicts an accessibility among the changes of an update too`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password())
            let control = try #require(make(kSecAttrAccessibleWhenUnlocked, []).control)
            let both: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrAccessible: "ak"]
            #expect(update(query(), both) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the access control and accessibility of an ordinary item go together, and those of two do not`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password())
            let item = try attributes(of: query())
            let control = try #require(item["accc"])
            let both: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrAccessible: "ak"]
            #expect(add(password(account: "bob", both)) == errSecSuccess)
            #expect(update(query(), both) == errSecSuccess)
            #expect(find(query(both)).status == errSecSuccess)
            let mixed: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrAccessible: "ck"]
            #expect(add(password(account: "carol", mixed)) == errSecParam)
            #expect(update(query(), mixed) == errSecParam)
            #expect(find(query(mixed)).status == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an access control is no filter`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            for flags in [[], .userPresence, .biometryAny] as [SecAccessControlCreateFlags] {
                let control = try #require(make(kSecAttrAccessibleAlways, flags).control)
                #expect(find(query([kSecAttrAccessControl: control])).status == errSecSuccess)
            }
        }
    }

    /// What cannot be enforced here, and what it is refused with.
    private static let unenforceable: [(SecAccessControlCreateFlags, OSStatus)] = [
        (.watch, errSecNotAvailable), (.companion, errSecNotAvailable), ([.watch, .biometryAny], errSecNotAvailable),
        (.biometryCurrentSet, errSecNotAvailable), (.privateKeyUsage, errSecUnimplemented),
        ([.privateKeyUsage, .biometryAny], errSecUnimplemented),
    ]

    @Test(arguments: Transport.allCases)
    func `an item whose access control cannot be enforced is refused, and nothing is stored`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password(account: "bob", [kSecAttrLabel: "old"]))
            for (flags, status) in Self.unenforceable {
                let control = try #require(make(kSecAttrAccessibleWhenUnlocked, flags).control)
                #expect(add(password([kSecAttrAccessControl: control])) == status, "\(flags)")
                #expect(find(query()).status == errSecItemNotFound, "\(flags)")
                let changes: [CFString: Any] = [
                    kSecAttrAccessControl: control, kSecAttrLabel: "new", kSecValueData: Data("new".utf8),
                ]
                #expect(update(query(account: "bob"), changes) == status, "\(flags)")
            }
            try #expect(value(of: query(account: "bob")) == secret)
            try #expect(attributes(of: query(account: "bob"))["labl"] as? String == "old")
        }
    }

    @Test(arguments: Transport.allCases)
    func `where nobody can be asked, an item that demands a person has attributes and no value`(
        transport: Transport
    ) throws {
        let kinds: [SecAccessControlCreateFlags] = [
            .userPresence, .devicePasscode, .biometryAny, [.biometryAny, .devicePasscode, .or],
            [.biometryAny, .devicePasscode, .and], [.watch, .devicePasscode, .or],
        ]
        try withKeychain(transport) {
            for flags in kinds {
                let control = try #require(make(kSecAttrAccessibleWhenUnlocked, flags).control)
                #expect(add(password([kSecAttrAccessControl: control])) == errSecSuccess, "\(flags)")
                let wanted: OSStatus = flags == .biometryAny ? errSecNotAvailable : errSecAuthFailed
                let status = find(query([kSecReturnData: true])).status
                #expect(status == wanted || flags.contains(.and) && status == errSecNotAvailable, "\(flags)")
                #expect(find(query()).status == errSecSuccess)
                try #expect(attributes(of: query())["accc"] as? SecAccessControl == control)
                // A new value needs nobody, and the old one is not given out by it.
                #expect(update(query(), [kSecValueData: Data("new".utf8)]) == errSecSuccess)
                #expect(update(query(), [kSecAttrLabel: "new"]) != errSecSuccess)
                #expect(find(query([kSecReturnData: true])).status == status)
                delete(query())
                #expect(find(query()).status == errSecItemNotFound)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an access control until reboot is refused by items`(transport: Transport) throws {
        try withKeychain(transport) {
            let control = try #require(make("f" as CFString, []).control)
            #expect(add(password([kSecAttrAccessControl: control])) == errSecParam)
            add(password())
            #expect(update(query(), [kSecAttrAccessControl: control]) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an access control that needs a passcode is refused, since none is set`(transport: Transport) throws {
        try withKeychain(transport) {
            let protection = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
            let control = try #require(make(protection, []).control)
            #expect(add(password([kSecAttrAccessControl: control])) == errSecAuthFailed)
            #expect(find(query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update gives an item an access control and takes it away`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let control = try #require(make(kSecAttrAccessibleAfterFirstUnlock, []).control)
            #expect(update(query(), [kSecAttrAccessControl: control]) == errSecSuccess)
            var item = try attributes(of: query())
            #expect(item["pdmn"] as? String == "ck")
            #expect(item["accc"] as? SecAccessControl == control)
            #expect(update(query(), [kSecAttrLabel: "x"]) == errSecSuccess)
            try #expect(attributes(of: query())["accc"] as? SecAccessControl == control)
            #expect(update(query(), [kSecAttrAccessible: "dk"]) == errSecSuccess)
            item = try attributes(of: query())
            #expect(item["pdmn"] as? String == "dk")
            #expect(item["accc"] as? SecAccessControl != control)
            try #expect(value(of: query()) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an access control does not keep an item from being updated`(transport: Transport) throws {
        try withKeychain(transport) {
            let control = try #require(make(kSecAttrAccessibleWhenUnlocked, []).control)
            add(password([kSecAttrAccessControl: control]))
            #expect(update(query(), [kSecValueData: Data("new".utf8)]) == errSecSuccess)
            try #expect(value(of: query([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])) == Data("new".utf8))
            try #expect(value(of: query([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip])) == Data("new".utf8))
        }
    }
}
