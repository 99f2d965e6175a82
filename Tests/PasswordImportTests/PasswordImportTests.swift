import Foundation
import KeePassImport
import KeychainCodes
import KeychainModel
import PasswordImport
import Testing

extension ImportedPassword {
    fileprivate var value: String { password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

@Suite("Comma-separated values")
struct PasswordCSVTests {
    private func read(_ text: String) throws -> [ImportedPassword] { try PasswordCSV.read(Array(text.utf8)) }

    private func rows(_ text: String) throws -> [[String]] {
        var reader = CSVReader(Array(text.utf8))
        var rows: [[String]] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    @Test func `quoted fields keep their commas, quotes and line ends`() throws {
        #expect(try rows("a,\"b,\"\"c\"\"\r\nd\",e\n") == [["a", "b,\"c\"\r\nd", "e"]])
        #expect(try rows("\"\",\"\"\n\n,\r\n") == [["", ""], ["", ""]])
        #expect(try rows("a\r\nb\rc\nd") == [["a"], ["b"], ["c"], ["d"]])
        #expect(try rows("a\"b\",c\"\n") == [["a\"b\"", "c\""]])
    }

    @Test func `an end in the middle of a quoted field is told with its line`() {
        #expect(throws: ImportFailure("line 2: a quoted field has no end")) { try rows("a\n\"b\nc") }
    }

    @Test func `what is no text, or has no end of fields, is refused`() {
        #expect(throws: ImportFailure.self) {
            var reader = CSVReader([0x61, 0xFF, 0x0A])
            _ = try reader.next()
        }
        #expect(throws: ImportFailure("line 1 has too many fields")) {
            try rows(String(repeating: ",", count: 1_000_000))
        }
    }

    @Test func `Apple's Passwords are read`() throws {
        let passwords = try read(
            """
            Title,URL,Username,Password,Notes,OTPAuth
            example.org (me),https://example.org/login,me,"p,""w",a note,otpauth://totp/x
            Router,,admin,s3cret,,
            """
        )
        #expect(passwords.map(\.title) == ["example.org (me)", "Router"])
        #expect(passwords.map(\.value) == ["p,\"w", "s3cret"])
        let request = passwords[0].request
        #expect(request.itemClass == .internetPassword)
        #expect(request.attributes["srvr"] == .string("example.org"))
        #expect(request.attributes["path"] == .string("/login"))
        #expect(request.attributes["ptcl"] == .string("htps"))
        #expect(request.attributes["acct"] == .string("me"))
        #expect(request.attributes["labl"] == .string("example.org (me)"))
        #expect(request.attributes["icmt"] == .string("a note"))
        let generic = passwords[1].request
        #expect(generic.itemClass == .genericPassword)
        #expect(generic.attributes["svce"] == .string("Router"))
    }

    @Test func `KeePassXC's list and those of browsers are read`() throws {
        let passwords = try read(
            """
            "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
            "Root/Work","Mail","me","one","imaps://mail.example.org:993","line 1
            line 2","","0","2024-01-01T00:00:00Z","2024-01-01T00:00:00Z"
            """
        )
        #expect(passwords.first?.folder == ["Root", "Work"])
        #expect(passwords.first?.notes == "line 1\nline 2")
        #expect(passwords.first?.request.attributes["port"] == .integer(993))
        #expect(try read("name,url,username,password\nx,https://x.example,u,p\n").first?.value == "p")
        #expect(try read("url,username,password,guid\nhttps://x.example,u,p,1\n").first?.userName == "u")
    }

    @Test func `what an item has no place for is named, with Apple's columns, Bitwarden's and KeePassXC's`() throws {
        let apple = try read("Title,URL,Username,Password,Notes,OTPAuth\na,,u,p,,otpauth://totp/x\nb,,u,p,,\n")
        #expect(apple.map(\.lost) == [["OTPAuth: the code has no secret"], []])
        let bitwarden = try read(
            """
            folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
            Work,1,login,a,n,"PIN: 1234",0,"https://a.example,https://b.example",me,secret,steam://JBSW
            """
        )
        let steam = "login_totp: \(CodeFailure.steam.message)"
        let lost = ["folder", "favorite", "type", "fields", "reprompt", "other addresses", steam]
        #expect(bitwarden.map(\.lost) == [lost])
        #expect(bitwarden.first?.request.attributes["srvr"] == .string("a.example"))
        let xc = try read("Group,Title,Username,Password,TOTP\nRoot,a,u,p,otpauth://x\nRoot/Work,b,u,p,\n")
        #expect(xc.map(\.lost) == [["TOTP: \(CodeFailure.otherType.message)"], ["folder"]])
        let twice = try read("name,password,password,notes,comments\na,1,2,x,y\n")
        #expect(twice.map(\.value) == ["1"] && twice.map(\.lost) == [["password", "comments"]])
    }

    @Test func `a file without passwords, and a row longer than the first, are refused`() {
        for text in ["", "\n\n", "a,b\n1,2\n", "url,password\na,b,c\n"] {
            #expect(throws: ImportFailure.self) { try read(text) }
        }
    }

    @Test(arguments: [
        "https://", "https://[::1", "http://a:99999/", "http://a:x/", "://x", "http://a b/", "javascript:alert(1)",
        "file:///etc/passwd", "http://:80", "https://user@", "",
    ])
    func `a URL that names no server makes a password without one`(url: String) {
        var password = ImportedPassword()
        password.title = "title"
        password.url = url
        let request = password.request
        if request.itemClass == .internetPassword {
            Issue.record("\(url) named \(String(describing: request.attributes["srvr"]))")
        }
    }

    @Test func `the name in a URL is not taken for its server`() {
        var password = ImportedPassword()
        password.url = "https://bank.example:x@Evil.example:8443/a?b#c"
        #expect(password.request.attributes["srvr"] == .string("evil.example"))
        #expect(password.request.attributes["port"] == .integer(8443))
        #expect(password.request.attributes["path"] == .string("/a"))
    }
}

@Suite("The XML of KeePass")
struct KeePassXMLTests {
    private func read(_ text: String) throws -> [ImportedPassword] { try KeePassXML.read(Array(text.utf8)) }

    private func entry(_ title: String, _ password: String, _ more: String = "") -> String {
        """
        <Entry><UUID>x</UUID>
        <String><Key>Title</Key><Value>\(title)</Value></String>
        <String><Key>Password</Key><Value ProtectInMemory="True">\(password)</Value></String>
        <String><Key>UserName</Key><Value>me</Value></String>
        <String><Key>URL</Key><Value>https://example.org</Value></String>\(more)</Entry>
        """
    }

    private func file(_ contents: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <KeePassFile><Meta><RecycleBinUUID>bin=</RecycleBinUUID></Meta><Root>
        <Group><UUID>root=</UUID><Name>Passwords</Name>\(contents)</Group></Root></KeePassFile>
        """
    }

    @Test func `entries are read with their groups`() throws {
        let passwords = try read(
            file(entry("a", "1 &lt;&amp;&#x41;") + "<Group><UUID>w=</UUID><Name>Work</Name>\(entry("b", "2"))</Group>")
        )
        #expect(passwords.map(\.title) == ["a", "b"])
        #expect(passwords.map(\.value) == ["1 <&A", "2"])
        #expect(passwords.map(\.folder) == [[], ["Work"]])
        #expect(passwords[0].request.attributes["srvr"] == .string("example.org"))
    }

    @Test func `what an item has no place for is named`() throws {
        let more = """
            <String><Key>otp</Key><Value>otpauth://totp/x</Value></String>
            <String><Key>PIN</Key><Value ProtectInMemory="True">1234</Value></String>
            <String><Key>Empty</Key><Value/></String><Tags>bank</Tags>
            <Times><Expires>True</Expires></Times><Binary><Key>scan.pdf</Key><Value Ref="0"/></Binary>
            """
        let folder = "<Group><UUID>w=</UUID><Name>Work</Name>\(entry("b", "2"))</Group>"
        let passwords = try read(file(entry("a", "1", more) + folder))
        #expect(
            passwords.map(\.lost) == [
                ["attachments", "expiry", "tags", "PIN", "otp", "one-time code: the code has no secret"], ["folder"],
            ]
        )
    }

    @Test func `older states of an entry and what is in the recycle bin are left out, and named`() throws {
        let history = "<History>\(entry("old", "0"))</History>"
        let passwords = try read(
            file(entry("a", "1", history) + "<Group><UUID>bin=</UUID><Name>Bin</Name>\(entry("gone", "2"))</Group>")
        )
        #expect(passwords.map(\.title) == ["a", "gone"])
        #expect(passwords.map(\.isDeleted) == [false, true])
        #expect(passwords.first?.lost == ["older states"])
        #expect(passwords.first?.value == "1")
    }

    @Test func `entities that name files, or grow, are refused`() throws {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <KeePassFile>&b;</KeePassFile>
            """
        let file = """
            <?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><KeePassFile>&a;</KeePassFile>
            """
        for text in [bomb, file] { #expect(throws: ImportFailure.self) { try read(text) } }
        // In an encoding that hides the declaration from who looks at bytes.
        let wide = Array(
            bomb.replacingOccurrences(of: "?>", with: " encoding=\"UTF-16\"?>").data(using: .utf16) ?? Data()
        )
        #expect(throws: ImportFailure.self) { try KeePassXML.read(wide) }
    }

    @Test func `another encoding is refused, however far from the beginning it is named`() {
        for blanks in [0, 300, 100_000] {
            let text = file(entry("a", "1")).replacing(
                /<\?xml[^>]*\?>/,
                with: "<?xml version=\"1.0\"\(String(repeating: " ", count: blanks)) encoding=\"UTF-7\"?>"
            )
            #expect(throws: ImportFailure.self, "\(blanks)") { try read(text) }
            // The control.
            #expect(throws: Never.self, "\(blanks)") { try read(text.replacing("UTF-7", with: "UTF-8")) }
        }
        #expect(throws: ImportFailure.self) { try read("<?xml version=\"1.0\"") }
    }

    /// Foundation's parser would end the program.
    @Test(arguments: ["<?xml?><KeePassFile/>", "<KeePassFile><?x?></KeePassFile>", "\u{FEFF}<?xml?><KeePassFile/>"])
    func `a processing instruction is refused`(text: String) {
        #expect(throws: ImportFailure.self) { try read(text) }
    }

    @Test func `what is nested deeply, cut short or something else is refused`() {
        let deep = file(String(repeating: "<Group>", count: 100_000) + String(repeating: "</Group>", count: 100_000))
        for text in [deep, String(file(entry("a", "1")).dropLast(20)), "<x/>", "", "plain text", "<KeePassFile>"] {
            #expect(throws: ImportFailure.self) { try read(text) }
        }
    }
}
