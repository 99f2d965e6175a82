import Foundation
import Security
import Testing

@Suite("Finding a password by its attributes")
struct FilterTests {
    /// Two values for each attribute of a generic password, one of which an item has.
    private static let genericAttributes: [(String, any Sendable, any Sendable)] = [
        ("acct", "alice", "bob"), ("svce", "mail", "chat"), ("gena", Data([1]), Data([2])), ("labl", "one", "two"),
        ("desc", "one", "two"), ("icmt", "one", "two"), ("crtr", 1, 2), ("type", 1, 2), ("invi", true, false),
        ("nega", true, false), ("scrp", 1, 2), ("cusi", true, false), ("prot", "one", "two"), ("alis", "one", "two"),
        ("pdmn", "ck", "ak"), ("sysb", 1, 2), ("vwht", "one", "two"), ("pcss", 1, 2), ("pcsk", Data([1]), Data([2])),
        ("pcsi", Data([1]), Data([2])),
    ]

    @Test(arguments: Transport.allCases)
    func `a generic password is found by each of its attributes, and only by the value it has`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            for (key, value, other) in Self.genericAttributes {
                let key = key as CFString
                delete(genericPasswords())
                #expect(add(genericPasswords([key: value])) == errSecSuccess, "\(key)")
                #expect(find(genericPasswords([key: value])).status == errSecSuccess, "\(key)")
                #expect(find(genericPasswords([key: other])).status == errSecItemNotFound, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an internet password is found by each of its attributes, and only by the value it has`(
        transport: Transport
    ) throws {
        let more: [(String, any Sendable, any Sendable)] = [
            ("srvr", "one", "two"), ("sdmn", "one", "two"), ("ptcl", "htps", "http"), ("atyp", "form", "dflt"),
            ("port", 443, 80), ("path", "/one", "/two"),
        ]
        try withKeychain(transport) {
            for (key, value, other) in more + Self.genericAttributes where key != "svce" && key != "gena" {
                let key = key as CFString
                delete(internetPasswords())
                #expect(add(internetPasswords([key: value])) == errSecSuccess, "\(key)")
                #expect(find(internetPasswords([key: value])).status == errSecSuccess, "\(key)")
                #expect(find(internetPasswords([key: other])).status == errSecItemNotFound, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an attribute that an item does not have does not match it`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            for (key, value) in [("labl", ""), ("icmt", ""), ("crtr", 0), ("invi", false)] as [(CFString, Any)] {
                #expect(find(query([key: value])).status == errSecItemNotFound, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `text and data of the same bytes are the same value`(transport: Transport) throws {
        let blobs: [CFString] = ["acct", "svce", "gena", "labl", "desc", "icmt", "prot", "alis"]
        try withKeychain(transport) {
            for key in blobs {
                for (stored, asked) in [("x", Data([0x78])), (Data([0x78]), "x")] as [(Any, Any)] {
                    delete(genericPasswords())
                    add(genericPasswords([key: stored]))
                    #expect(find(genericPasswords([key: asked])).status == errSecSuccess, "\(key)")
                    let returned = try attributes(of: genericPasswords([key: asked]))[String(describing: key)]
                    #expect(CFEqual(returned as CFTypeRef?, stored as CFTypeRef), "\(key) comes back as it was stored")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `text and data of the same bytes are the same primary key`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "x", service: "y"))
            #expect(add(password(account: Data("x".utf8), service: Data("y".utf8))) == errSecDuplicateItem)
            add(website(account: Data("x".utf8), server: Data("y".utf8), [kSecAttrPath: Data("z".utf8)]))
            #expect(add(website(account: "x", server: "y", [kSecAttrPath: "z"])) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an empty filter matches what is empty and an absent one matches all`(transport: Transport) throws {
        try withKeychain(transport) {
            add(genericPasswords([kSecAttrAccount: "with", kSecAttrService: "mail"]))
            add(genericPasswords([kSecAttrAccount: "without"]))
            try #expect(accounts(of: genericPasswords([kSecAttrService: ""])) == ["without"])
            try #expect(accounts(of: genericPasswords()) == ["with", "without"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `comparison is by case and by every byte`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "Alice"))
            for other in ["alice", "ALICE", "Alice ", " Alice", "Alic", "Alice\0", "Аlice"] {
                #expect(find(query(account: other)).status == errSecItemNotFound, "\(other)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `wildcards are ordinary characters`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice"))
            for pattern in ["%", "*", "a%", "_lice", "?????", "' OR 1=1 --", "\"", "a\u{0}"] {
                #expect(find(query(account: pattern)).status == errSecItemNotFound, "\(pattern)")
                #expect(add(password(account: pattern)) == errSecSuccess, "\(pattern)")
                try #expect(accounts(of: query(account: pattern)) == [pattern])
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the trailing blank of a protocol is part of it`(transport: Transport) throws {
        try withKeychain(transport) {
            add(website([kSecAttrProtocol: kSecAttrProtocolFTP]))
            #expect(find(internetPasswords([kSecAttrProtocol: "ftp "])).status == errSecSuccess)
            #expect(find(internetPasswords([kSecAttrProtocol: "ftp"])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `every protocol and every authentication type is stored, found and told from the others`(
        transport: Transport
    ) throws {
        let protocols = [
            "ftp ", "ftpa", "http", "irc ", "nntp", "pop3", "smtp", "sox ", "imap", "ldap", "atlk", "afp ", "teln",
            "ssh ", "ftps", "htps", "htpx", "htsx", "ftpx", "smb ", "rtsp", "rtsx", "daap", "eppc", "ipp ", "ntps",
            "ldps", "tels", "imps", "ircs", "pops",
        ]
        let types = ["ntlm", "msna", "dpaa", "rpaa", "http", "httd", "form", "dflt"]
        try withKeychain(transport) {
            for name in protocols {
                #expect(add(internetPasswords([kSecAttrAccount: name, kSecAttrProtocol: name])) == errSecSuccess)
            }
            for name in protocols {
                try #expect(accounts(of: internetPasswords([kSecAttrProtocol: name])) == [name])
                try #expect(attributes(of: internetPasswords([kSecAttrProtocol: name]))["ptcl"] as? String == name)
            }
            for name in types {
                let item = internetPasswords([kSecAttrAccount: "type \(name)", kSecAttrAuthenticationType: name])
                #expect(add(item) == errSecSuccess)
            }
            for name in types {
                try #expect(accounts(of: internetPasswords([kSecAttrAuthenticationType: name])) == ["type \(name)"])
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the dates filter`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice"))
            let dates = try attributes(of: query())
            for key in [kSecAttrCreationDate, kSecAttrModificationDate] {
                let date = try #require(dates[key as String] as? Date)
                #expect(find(query([key: date])).status == errSecSuccess)
                #expect(find(query([key: date.addingTimeInterval(1)])).status == errSecItemNotFound)
            }
        }
    }
}
