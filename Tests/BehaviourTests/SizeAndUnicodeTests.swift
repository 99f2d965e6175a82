import Foundation
import Security
import Testing

@Suite("Long values and all of Unicode")
struct SizeAndUnicodeTests {
    // MARK: - Unicode

    private static let texts = [
        "", " ", "a\u{0}b", "\u{0}", "\u{0}\u{0}", "cafe\u{301}", "caf\u{E9}", "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}\u{323}",
        "e\u{323}\u{301}", "ﬁ", "ſ", "İ", "ı", "ẞ", "ß", "ss", "Ω", "\u{2126}", "\u{1100}\u{1161}", "가", "مرحبا",
        "\u{202E}abc",
        "\u{FEFF}", "\u{FFFD}", "\u{10FFFF}", "\u{200B}", "line\nbreak", "tab\t", "quote'\"", "back\\slash", "%s%n",
        "a\u{300}",
    ]

    @Test(arguments: Transport.allCases)
    func `every text comes back byte by byte, and finds its item alone`(transport: Transport) throws {
        try withKeychain(transport) {
            for text in Self.texts {
                #expect(
                    add(password(account: text, [kSecAttrLabel: text])) == errSecSuccess,
                    "\(text.debugDescription)"
                )
            }
            for text in Self.texts {
                for key in [kSecAttrAccount, kSecAttrLabel] {
                    let items = try allAttributes(of: genericPasswords([key: text]))
                    #expect(items.count == 1, "\(text.debugDescription)")
                    let returned = try #require(items.first?[key as String] as? String)
                    #expect(Array(returned.utf8) == Array(text.utf8), "\(text.debugDescription)")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `composed and decomposed letters are different values`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            #expect(add(itemClass.item(account: "caf\u{E9}")) == errSecSuccess)
            #expect(find(itemClass.query([kSecAttrAccount: "cafe\u{301}"])).status == errSecItemNotFound)
            #expect(add(itemClass.item(account: "cafe\u{301}")) == errSecSuccess)
            try #expect(allAttributes(of: itemClass.query).count == 2)
            #expect(delete(itemClass.query([kSecAttrAccount: "cafe\u{301}"])) == errSecSuccess)
            let left = try #require(try attributes(of: itemClass.query)["acct"] as? String)
            #expect(Array(left.utf8) == Array("caf\u{E9}".utf8))
        }
    }

    @Test(arguments: Transport.allCases)
    func `what follows a NUL counts`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice\u{0}one"))
            #expect(find(query(account: "alice")).status == errSecItemNotFound)
            #expect(find(query(account: "alice\u{0}")).status == errSecItemNotFound)
            #expect(find(query(account: "alice\u{0}two")).status == errSecItemNotFound)
            #expect(add(password(account: "alice\u{0}two")) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `data that is no text comes back as it was`(transport: Transport) throws {
        let all = Data((0...255).map { UInt8($0) })
        try withKeychain(transport) {
            add(password(account: all, service: Data([0xC3]), [kSecValueData: all]))
            let found = find(
                query(account: all, service: Data([0xC3]), [kSecReturnAttributes: true, kSecReturnData: true])
            )
            let item = try #require(found.result as? [String: Any])
            #expect(item["acct"] as? Data == all)
            #expect(item["v_Data"] as? Data == all)
            #expect(find(query(account: all, service: Data([0xC4]))).status == errSecItemNotFound)
        }
    }

    // MARK: - Sizes

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an attribute of a mebibyte is stored, and one of a byte more is too large`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        let long = String(repeating: "x", count: 1 << 20)
        try withKeychain(transport) {
            #expect(add(itemClass.item(account: long)) == errSecSuccess)
            try #expect((attributes(of: itemClass.query([kSecAttrAccount: long]))["acct"] as? String)?.count == 1 << 20)
            #expect(add(itemClass.item(account: long + "x")) == errSecDataTooLarge)
            #expect(add(itemClass.item(account: Data((long + "x").utf8))) == errSecDataTooLarge)
            #expect(add(itemClass.item([kSecAttrLabel: long + "x"])) == errSecDataTooLarge)
            #expect(find(itemClass.query([kSecAttrAccount: long + "x"])).status == errSecDataTooLarge)
            #expect(update(itemClass.query, [kSecAttrAccount: long + "x"]) == errSecDataTooLarge)
            try #expect(allAttributes(of: itemClass.query).count == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `size is counted in bytes`(transport: Transport) throws {
        let long = String(repeating: "é", count: 1 << 19)
        try withKeychain(transport) {
            #expect(add(password(account: long)) == errSecSuccess)
            #expect(add(password(account: long + "é")) == errSecDataTooLarge)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a value of sixteen mebibytes is stored`(transport: Transport) throws {
        var long = Data(count: 16 << 20)
        long[0] = 1
        long[long.count - 1] = 2
        try withKeychain(transport) {
            #expect(add(password([kSecValueData: long])) == errSecSuccess)
            // Compared as an object: Foundation takes a second to turn one of this size into Swift's own type.
            let found = find(query([kSecReturnData: true])).result as? NSData
            #expect(found?.isEqual(to: long) == true)
        }
    }

    // The size is judged before any transport, and reading such a dictionary takes a second.
    @Test func `a value of a byte more than sixteen mebibytes is too large`() throws {
        let long = Data(count: (16 << 20) + 1)
        try withKeychain(.memory) {
            #expect(add(password([kSecValueData: long])) == errSecDataTooLarge)
            #expect(find(query()).status == errSecItemNotFound)
            add(password())
            #expect(update(query(), [kSecValueData: long]) == errSecDataTooLarge)
            try #expect(value(of: query()) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `values of every size around a block are what they were`(transport: Transport) throws {
        try withKeychain(transport) {
            for size in [0, 1, 15, 16, 17, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 65_535, 65_536] {
                let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
                #expect(add(password(account: "\(size)", [kSecValueData: bytes])) == errSecSuccess)
                try #expect(value(of: query(account: "\(size)")) == bytes)
            }
        }
    }
}
