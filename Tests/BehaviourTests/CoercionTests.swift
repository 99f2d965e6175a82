import Foundation
import Security
import Testing

@Suite("The types that attributes take")
struct CoercionTests {
    /// What a value becomes under a key: adds it, and returns what comes back.
    private func stored(_ value: Any, as key: CFString) throws -> Any? {
        #expect(add(internetPasswords([key: value])) == errSecSuccess, "\(key): \(value)")
        defer { delete(internetPasswords()) }
        return try attributes(of: internetPasswords())[key as String]
    }

    // MARK: - Text, data and numbers as they are

    @Test(arguments: Transport.allCases)
    func `an attribute of any bytes keeps the type it was given`(transport: Transport) throws {
        try withKeychain(transport) {
            for key in ["acct", "srvr", "sdmn", "atyp", "path", "labl", "desc", "icmt", "prot", "alis"] as [CFString] {
                try #expect(stored("text", as: key) as? String == "text")
                try #expect(stored(Data([0, 0xFF]), as: key) as? Data == Data([0, 0xFF]))
                try #expect(stored(Data("text".utf8), as: key) as? Data == Data("text".utf8))
                try #expect(stored(42, as: key) as? Int == 42)
                try #expect(stored("", as: key) as? String == "")
                try #expect(stored(Data(), as: key) as? Data == Data())
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a number given for an attribute of any bytes equals its four bytes`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: 0x6463_6261))
            try #expect(attributes(of: genericPasswords())["acct"] as? Int == 0x6463_6261)
            #expect(find(query(account: "abcd")).status == errSecSuccess)
            #expect(find(query(account: Data("abcd".utf8))).status == errSecSuccess)
            #expect(add(password(account: "abcd")) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `an attribute of any bytes takes no other type`(transport: Transport, call: Call) throws {
        let values: [Any] = [
            true, kCFBooleanFalse!, Date(), NSNull(), [1, 2], [String](), [:] as [String: Any], UUID(),
            URL(filePath: "/"),
            NSObject(), Set([1]), NSError(domain: "x", code: 1), UInt64.max,
        ]
        try withKeychain(transport) {
            for key in [kSecAttrAccount, kSecAttrService, kSecAttrLabel, kSecAttrGeneric] {
                for value in values {
                    #expect(call(genericPasswords([key: value])) == errSecParam, "\(key): \(value)")
                }
            }
            #expect(find(genericPasswords()).status == errSecItemNotFound)
        }
    }

    // MARK: - Text

    @Test(arguments: Transport.allCases)
    func `an attribute of text takes text, data that is text, and identifiers`(transport: Transport) throws {
        let uuid = UUID()
        try withKeychain(transport) {
            try #expect(stored("text", as: "vwht") as? String == "text")
            try #expect(stored(Data("text".utf8), as: "vwht") as? String == "text")
            try #expect(stored(uuid, as: "vwht") as? String == uuid.uuidString)
            for value in [Data([0xFF, 0xFE]), 1, true, Date(), NSNull(), ["x"]] as [Any] {
                #expect(add(internetPasswords(["vwht": value])) == errSecParam, "\(value)")
            }
        }
    }

    // MARK: - Data

    @Test(arguments: Transport.allCases)
    func `an attribute of data takes data, and text and numbers as their bytes`(transport: Transport) throws {
        try withKeychain(transport) {
            let values: [(Any, Data)] = [
                (Data([1, 2]), Data([1, 2])), ("text", Data("text".utf8)), (1, Data([1, 0, 0, 0])),
                (-1, Data([0xFF, 0xFF, 0xFF, 0xFF])),
            ]
            for (given, bytes) in values {
                #expect(add(internetPasswords(["binn": given])) == errSecSuccess, "\(given)")
                let found = find(internetPasswords([kSecReturnAttributes: true, kSecReturnData: true]))
                #expect((found.result as? [String: Any])?["binn"] as? Data == bytes, "\(given)")
                delete(internetPasswords())
            }
            for value in [true, Date(), NSNull(), [1]] as [Any] {
                #expect(add(internetPasswords(["binn": value])) == errSecParam, "\(value)")
            }
        }
    }

    // MARK: - Numbers

    @Test(arguments: Transport.allCases)
    func `an attribute of numbers takes numbers and truth values, and returns integers`(transport: Transport) throws {
        let values: [(Any, Int)] = [
            (443, 443), (0, 0), (-1, -1), (70_000, 70_000), (Int32.min, Int(Int32.min)), (Int.max, Int.max),
            (Int.min, Int.min), (UInt8(255), 255), (Int8(-128), -128), (UInt32.max, Int(UInt32.max)),
            (UInt64(7), 7), (true, 1), (false, 0), (kCFBooleanTrue!, 1), (NSNumber(value: 80), 80),
            (NSDecimalNumber(value: 5), 5),
        ]
        try withKeychain(transport) {
            for (given, number) in values {
                let returned = try stored(given, as: kSecAttrPort)
                #expect(returned as? Int == number, "\(given)")
                #expect(isNumber(returned), "\(given)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `text that spells a number is that number, and any other text stays text`(transport: Transport) throws {
        try withKeychain(transport) {
            for (text, number) in [("443", 443), ("0", 0), ("-1", -1), ("9223372036854775807", Int.max)] {
                let returned = try stored(text, as: kSecAttrPort)
                #expect(returned as? Int == number, "\(text)")
                #expect(!(returned is String), "\(text)")
            }
            for text in ["http", "", "0443", "+443", " 443", "443 ", "-0", "4.0", "0x1", "9223372036854775808", "٤٤٣"] {
                try #expect(stored(text, as: kSecAttrPort) as? String == text, "\(text)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a number is found and is unique in whatever type it is spelled`(transport: Transport) throws {
        try withKeychain(transport) {
            add(website([kSecAttrPort: 443]))
            for spelling in [443, "443", 443.0, UInt16(443), NSNumber(value: 443)] as [Any] {
                #expect(find(internetPasswords([kSecAttrPort: spelling])).status == errSecSuccess, "\(spelling)")
                #expect(add(website([kSecAttrPort: spelling])) == errSecDuplicateItem, "\(spelling)")
            }
            for other in [0, 442, 444, -443, "0443", 443.5] as [Any] {
                #expect(find(internetPasswords([kSecAttrPort: other])).status == errSecItemNotFound, "\(other)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a fraction stays one`(transport: Transport) throws {
        try withKeychain(transport) {
            try #expect(stored(1.5, as: kSecAttrCreator) as? Double == 1.5)
            try #expect(stored(Float(0.25), as: kSecAttrCreator) as? Double == 0.25)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a number beyond what can be stored is an error`(transport: Transport, call: Call) throws {
        try withKeychain(transport) {
            for number in [UInt64.max, UInt64(Int64.max) + 1] {
                #expect(call(internetPasswords([kSecAttrPort: number])) == errSecParam, "\(number)")
                #expect(call(genericPasswords([kSecAttrCreator: number])) == errSecParam, "\(number)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `an attribute of numbers takes no other type`(transport: Transport, call: Call) throws {
        let values: [Any] = [Data([1]), Date(), NSNull(), [1], ["a": 1], UUID(), NSObject()]
        try withKeychain(transport) {
            for key in ["ptcl", "port", "crtr", "type", "invi", "nega", "scrp", "cusi"] as [CFString] {
                for value in values {
                    #expect(call(internetPasswords([key: value])) == errSecParam, "\(key): \(value)")
                }
            }
        }
    }

    // MARK: - Dates, digests and users

    @Test(arguments: Transport.allCases, Call.allCases)
    func `an attribute of a date takes dates alone`(transport: Transport, call: Call) throws {
        try withKeychain(transport) {
            for key in [kSecAttrCreationDate, kSecAttrModificationDate] {
                for value in ["now", 0, 0.5, true, Data(), NSNull()] as [Any] {
                    #expect(call(genericPasswords([key: value])) == errSecParam, "\(key): \(value)")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a digest has twenty bytes`(transport: Transport, call: Call) throws {
        try withKeychain(transport) {
            for value in [Data(), Data(count: 19), Data(count: 21), "x", 1, NSNull()] as [Any] {
                #expect(call(genericPasswords(["sha1": value])) == errSecParam, "\(value)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a user is nothing or sixteen bytes`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            for nobody in [Data(), NSNull()] as [Any] {
                #expect(find(query(["musr": nobody])).status == errSecSuccess, "\(nobody)")
            }
            for other in [Data(count: 16), UUID()] as [Any] {
                #expect(find(query(["musr": other])).status == errSecItemNotFound, "\(other)")
            }
            for value in [Data(count: 15), Data(count: 20), "x", 1] as [Any] {
                #expect(find(query(["musr": value])).status == errSecParam, "\(value)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `an access control takes a SecAccessControl alone`(transport: Transport, call: Call) throws {
        try withKeychain(transport) {
            for value in ["ak", Data([1]), 0, true, NSNull(), NSObject()] as [Any] {
                #expect(call(genericPasswords([kSecAttrAccessControl: value])) == errSecParam, "\(value)")
            }
        }
    }
}
