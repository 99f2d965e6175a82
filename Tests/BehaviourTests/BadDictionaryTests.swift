import Foundation
import LocalAuthentication
import Security
import Testing

@Suite("Dictionaries that are not valid")
struct BadDictionaryTests {
    /// Makes a call on a keychain that has a password, and checks that the password is still there as it was.
    private func check(_ transport: Transport, _ body: () throws -> Void) throws {
        try withKeychain(transport) {
            add(password(account: "before"))
            let before = try attributes(of: genericPasswords())
            try body()
            try #expect(CFEqual(allAttributes(of: genericPasswords()) as NSArray, [before] as NSArray))
        }
    }

    // MARK: - The class

    @Test(arguments: Transport.allCases, Call.allCases)
    func `an empty dictionary is an error`(transport: Transport, call: Call) throws {
        try check(transport) {
            #expect(call([:]) == errSecParam)
            #expect(call(NSDictionary()) == errSecParam)
            #expect(call(NSMutableDictionary()) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a dictionary without a class is an error`(transport: Transport, call: Call) throws {
        try check(transport) {
            #expect(call([kSecAttrAccount: "alice", kSecValueData: secret]) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a class that does not exist is no such class`(transport: Transport, call: Call) throws {
        try check(transport) {
            for name in ["apls", "", "GENP", "genp ", "gen", "password", "gen\u{0}"] {
                #expect(call([kSecClass: name]) == errSecNoSuchClass, "\(name)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a class that is not text is an error`(transport: Transport, call: Call) throws {
        try check(transport) {
            for value in [1, true, Data("genp".utf8), NSNull(), [kSecClassGenericPassword], Date()] as [Any] {
                #expect(call([kSecClass: value]) == errSecParam, "\(value)")
            }
        }
    }

    // MARK: - Attributes

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a key of four letters that is no attribute of the class is no such attribute`(
        transport: Transport,
        call: Call
    ) throws {
        let foreign: [CFString] = [
            "srvr", "sdmn", "ptcl", "atyp", "port", "path", "atag", "klbl", "kcls", "bsiz", "issr", "slnr", "ctyp",
            "pkhh", "subj", "volm", "addr", "afps", "crlt", "crle", "nope", "ACCT", "acc ", "    ", "1234", "mmmm",
            "rrrr", "uuuu", "vvvv", "cccc", "ffff", "\u{0}\u{0}\u{0}\u{0}", "äöüß",
        ]
        try check(transport) {
            for key in foreign {
                #expect(call(password([key: "x"])) == errSecNoSuchAttr, "\(key)")
            }
            for key in ["svce", "gena", "atag", "klbl", "issr"] as [CFString] {
                #expect(call(website([key: "x"])) == errSecNoSuchAttr, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `certificates and keys have attributes of their own`(transport: Transport, call: Call) throws {
        try check(transport) {
            #expect(call([kSecClass: kSecClassCertificate, kSecAttrApplicationTag: "x"]) == errSecNoSuchAttr)
            #expect(call([kSecClass: kSecClassCertificate, kSecAttrAccount: "x"]) == errSecNoSuchAttr)
            #expect(call([kSecClass: kSecClassKey, kSecAttrIssuer: Data()]) == errSecNoSuchAttr)
            #expect(call([kSecClass: kSecClassKey, kSecAttrService: "x"]) == errSecNoSuchAttr)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `app clip items do not exist`(transport: Transport, call: Call) throws {
        try check(transport) {
            #expect(call(password(["clip": true])) == errSecParam)
        }
    }

    // MARK: - Other keys

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a key of another length that is none is an error`(transport: Transport, call: Call) throws {
        let keys: [CFString] = [
            "", "a", "m", "r", "u", "v", "c", "f", "ab", "abc", "aé1", "accts", "account", "classes", "clas_", "cl",
            "kSecAttrAccount", "r_", "r_data", "r_Dat", "r_Datas", "v_", "v_data", "v_Unknown", "u_", "u_Unknown",
            "uui", " class", "😀", "é",
        ]
        try check(transport) {
            for key in keys {
                #expect(call(password([key: true])) == errSecParam, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key that begins with f is ignored`(transport: Transport) throws {
        try withKeychain(transport) {
            for key in ["fo", "foo", "f_Anything", "fffff"] as [CFString] {
                #expect(add(password([key: NSObject()])) == errSecSuccess, "\(key)")
                #expect(find(query([key: 1])).status == errSecSuccess, "\(key)")
                #expect(update(query([key: 1]), [kSecAttrLabel: "x"]) == errSecSuccess, "\(key)")
                #expect(delete(query([key: "x"])) == errSecSuccess, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a key that is a number is no such attribute`(transport: Transport, call: Call) throws {
        try check(transport) {
            for key in [1, -1, 1.5, true, 1_634_952_052] as [AnyHashable] {
                let dictionary: [AnyHashable: Any] = [kSecClass as String: kSecClassGenericPassword, key: "x"]
                #expect(call(dictionary as CFDictionary) == errSecNoSuchAttr, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a key that is neither text nor number is an error`(transport: Transport, call: Call) throws {
        try check(transport) {
            let keys: [AnyHashable] = [Data("acct".utf8), Date(), UUID(), [1, 2], NSNull(), URL(filePath: "/")]
            for key in keys {
                let dictionary: [AnyHashable: Any] = [kSecClass as String: kSecClassGenericPassword, key: "x"]
                #expect(call(dictionary as CFDictionary) == errSecParam, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a bad key among the changes of an update is an error too`(transport: Transport) throws {
        try check(transport) {
            let all = genericPasswords() as CFDictionary
            #expect(SecItemUpdate(all, [1: "x"] as CFDictionary) == errSecNoSuchAttr)
            #expect(SecItemUpdate(all, [Data(): "x"] as CFDictionary) == errSecParam)
            #expect(SecItemUpdate(all, ["": "x"] as CFDictionary) == errSecNoSuchAttr)
        }
    }

    // MARK: - Values

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a key without a value is an error`(transport: Transport, call: Call) throws {
        let keys: [CFString] = [
            kSecAttrAccount, kSecAttrLabel, kSecAttrCreator, kSecAttrCreationDate, kSecAttrAccessible,
            kSecAttrAccessControl, kSecAttrSynchronizable, kSecAttrAccessGroup, kSecValueData, kSecValuePersistentRef,
            kSecReturnData, kSecReturnAttributes, kSecMatchLimit, kSecUseOperationPrompt, kSecUseAuthenticationUI,
            kSecUseAuthenticationContext, "m_Unheard", "tomb", "sha1",
        ]
        try check(transport) {
            for key in keys {
                #expect(call(password([key: NSNull()])) == errSecParam, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a return key takes a truth value alone`(transport: Transport, call: Call) throws {
        try check(transport) {
            for key in [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef] {
                for value in [1, 0, NSNumber(value: 1), 1.0, "true", Data([1]), NSNull(), [true]] as [Any] {
                    #expect(call(password([key: value])) == errSecParam, "\(key): \(value)")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `keys about asking the person have to be well formed`(transport: Transport, call: Call) throws {
        let wrong: [(CFString, Any)] = [
            (kSecUseAuthenticationUI, 1), (kSecUseAuthenticationUI, true), (kSecUseAuthenticationUI, "u_AuthUIX"),
            (kSecUseAuthenticationUI, Data()), (kSecUseOperationPrompt, 1), ("u_CallerName", 1),
            (kSecUseNoAuthenticationUI, 1), (kSecUseNoAuthenticationUI, "yes"),
        ]
        try check(transport) {
            for (key, value) in wrong {
                #expect(call(password([key: value])) == errSecParam, "\(key): \(value)")
            }
            let both: [CFString: Any] = [kSecUseAuthenticationContext: LAContext(), "u_CredRef": Data()]
            #expect(call(password(both)) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `hiding what asks the person is only for searches`(transport: Transport) throws {
        try check(transport) {
            let skip: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
            #expect(find(genericPasswords(skip)).status == errSecSuccess)
            for call in [Call.add, .update, .delete] {
                #expect(call(password(skip)) == errSecParam, "\(call)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a search does not take an item list`(transport: Transport) throws {
        try check(transport) {
            #expect(find(genericPasswords([kSecUseItemList: [Data()]])).status == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `nested values of no kind are errors and no crashes`(transport: Transport, call: Call) throws {
        var deep: Any = "x"
        for _ in 0..<1000 { deep = [deep] }
        let garbage: [Any] = [
            deep, [[:] as [String: Any], [[]]] as [Any], ["a": ["b": [1, Data(), NSNull()] as [Any]]], NSMutableArray(),
            NSSet(), NSObject(), { 1 } as () -> Int, (1, 2), Int?.none as Any, Character("x"),
        ]
        try check(transport) {
            for value in garbage {
                for key in [kSecAttrAccount, kSecAttrCreator, kSecAttrCreationDate, kSecValueData, kSecReturnData] {
                    #expect(call(password([key: value])) == errSecParam, "\(key)")
                }
            }
        }
    }

    // MARK: - Many entries

    @Test(arguments: Transport.allCases)
    func `a search takes 128 attributes and match keys, and not one more`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            func keys(_ count: Int) -> [CFString: Any] {
                Dictionary(uniqueKeysWithValues: (0..<count).map { ("m_Unheard\($0)" as CFString, true) })
            }
            #expect(find(genericPasswords(keys(128))).status == errSecSuccess)
            #expect(find(genericPasswords(keys(129))).status == errSecParam)
            #expect(find(query(keys(126))).status == errSecSuccess)
            #expect(find(query(keys(127))).status == errSecParam)
            #expect(find(genericPasswords(keys(10_000))).status == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `what is neither attribute nor match key does not count among them`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            var keys: [CFString: Any] = [kSecReturnData: true, kSecUseOperationPrompt: "x", kSecValueData: Data()]
            for number in 0..<128 { keys["m_Unheard\(number)" as CFString] = true }
            #expect(find(genericPasswords(keys)).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an object that no item is made of is an error`(transport: Transport) throws {
        try withKeychain(transport) {
            for value in [NSObject(), "text", Data(), 7] as [Any] {
                let query: [CFString: Any] = [kSecClass: kSecClassCertificate, kSecValueRef: value]
                #expect([add(query), find(query).status, delete(query)] == [errSecParam, errSecParam, errSecParam])
            }
        }
    }

    // MARK: - In every class

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a search in any class takes 128 attributes and match keys, and not one more`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport) {
            itemClass.addItem(1, [kSecAttrLabel: "label"])
            func keys(_ count: Int) -> [CFString: Any] {
                Dictionary(uniqueKeysWithValues: (0..<count).map { ("m_Unheard\($0)" as CFString, true) })
            }
            #expect(find(itemClass.query(keys(128))).status == errSecSuccess)
            #expect(find(itemClass.query(keys(129))).status == errSecParam)
            let label: [CFString: Any] = [kSecAttrLabel: "label"]
            #expect(find(itemClass.query(keys(127).merging(label) { $1 })).status == errSecSuccess)
            #expect(find(itemClass.query(keys(128).merging(label) { $1 })).status == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a match key but the limit is an error in every call but a search, in any class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let matches: [CFString: Any] = [
            kSecMatchIssuers: [Data([0x30, 0])], kSecMatchValidOnDate: NSNull(), kSecMatchTrustedOnly: false,
            kSecMatchEmailAddressIfPresent: "a@b.c", kSecMatchPolicy: "x",
            kSecMatchCaseInsensitive: true, kSecMatchSubjectContains: "x", kSecMatchItemList: [Data()],
            kSecMatchHostOrSubdomainOfHost: "example.com", "m_Unheard": 1,
        ]
        try withKeychain(transport) {
            for (key, value) in matches {
                #expect(Call.add(itemClass.item([key: value])) == errSecParam, "\(key)")
            }
            #expect(find(itemClass.query()).status == errSecItemNotFound)
            itemClass.addItem()
            let before = try attributes(of: itemClass.query()) as NSDictionary
            for (key, value) in matches {
                #expect(Call.update(itemClass.query([key: value])) == errSecParam, "\(key)")
                #expect(Call.delete(itemClass.query([key: value])) == errSecParam, "\(key)")
            }
            try #expect(attributes(of: itemClass.query()) as NSDictionary == before)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `an item list is an error in every call, in any class`(transport: Transport, itemClass: EveryClass) throws {
        try withKeychain(transport) {
            for call in Call.allCases {
                #expect(call(itemClass.item([kSecUseItemList: [Data()]])) == errSecParam, "\(call)")
            }
            #expect(find(itemClass.query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `what asks the person is hidden from searches alone, in any class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let skip: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
        try withKeychain(transport) {
            #expect(Call.add(itemClass.item(skip)) == errSecParam)
            itemClass.addItem()
            #expect(find(itemClass.query(skip)).status == errSecSuccess)
            #expect(Call.update(itemClass.query(skip)) == errSecParam)
            #expect(Call.delete(itemClass.query(skip)) == errSecParam)
            #expect(find(itemClass.query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `an authentication context excludes a credential, and either alone is accepted`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let context: [CFString: Any] = [kSecUseAuthenticationContext: LAContext()]
        let credential: [CFString: Any] = ["u_CredRef": Data([1])]
        try withKeychain(transport) {
            itemClass.addItem()
            for call in Call.allCases {
                #expect(call(itemClass.item(context.merging(credential) { $1 })) == errSecParam, "\(call)")
            }
            for alone in [context, credential] {
                #expect(find(itemClass.query(alone)).status == errSecSuccess)
                #expect(update(itemClass.query(alone), [:]) == errSecSuccess)
                #expect(delete(itemClass.query(alone)) == errSecSuccess)
                for part in itemClass.parts() { #expect(add(part.merging(alone) { $1 }) == errSecSuccess) }
            }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `the use keys that have no meaning here are accepted everywhere and change nothing`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let keys: [CFString: Any] = [
            kSecUseOperationPrompt: "Please", "u_CallerName": "test", kSecUseNoAuthenticationUI: true,
            kSecUseAuthenticationUI: kSecUseAuthenticationUIFail, kSecUseUserIndependentKeychain: true,
            "u_SystemKeychain": true, "u_SystemKeychainAlways": true, "u_SyncBubbleKeychain": true,
            "u_TokenRawItems": true, "u_CertWithIssuers": true, kSecUseDataProtectionKeychain: true,
        ]
        try withKeychain(transport) {
            for part in itemClass.parts() { #expect(add(part.merging(keys) { $1 }) == errSecSuccess) }
            try #expect(value(of: itemClass.query(keys)) == itemClass.data)
            #expect(update(itemClass.query(keys), [:]) == errSecSuccess)
            #expect(delete(itemClass.query(keys)) == errSecSuccess)
            #expect(find(itemClass.query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `app clip items exist in no class`(transport: Transport, itemClass: EveryClass) throws {
        try withKeychain(transport) {
            for call in Call.allCases { #expect(call(itemClass.item(["clip": true])) == errSecParam, "\(call)") }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `keys that are Apple's own and mean nothing here are no such attribute, in any class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport) {
            itemClass.addItem()
            for key in ["UUID", "dspk", "toid"] as [CFString] {
                for value in [Data(count: 16), "x", true] as [Any] {
                    for call in Call.allCases {
                        #expect(call(itemClass.item([key: value])) == errSecNoSuchAttr, "\(key) in \(call)")
                    }
                    #expect(update(itemClass.query(), [key: value]) == errSecNoSuchAttr, "\(key)")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a value that is not data is an error in every call and class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport) {
            for value in ["text", 1, true, NSNull(), [Data()]] as [Any] {
                for call in Call.allCases {
                    #expect(call(itemClass.item([kSecValueData: value])) == errSecParam, "\(value) in \(call)")
                }
                #expect(update(itemClass.query(), [kSecValueData: value]) == errSecParam, "\(value)")
            }
            #expect(find(itemClass.query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `the value in a search, update or deletion is no filter, in any class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let other: [CFString: Any] = [kSecValueData: Data("something else".utf8)]
        try withKeychain(transport) {
            itemClass.addItem()
            try #expect(value(of: itemClass.query(other)) == itemClass.data)
            #expect(update(itemClass.query(other), [:]) == errSecSuccess)
            #expect(delete(itemClass.query(other)) == errSecSuccess)
        }
    }
}
