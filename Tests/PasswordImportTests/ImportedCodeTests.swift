import KeePassImport
import KeychainCodes
import KeychainModel
import Testing

@testable import PasswordImport

/// One-time codes in the files of other programs, and the items that they become.
@Suite("Imported one-time codes")
struct ImportedCodeTests {
    private let address = "otpauth://totp/Bank:me?secret=JBSWY3DPEHPK3PXP&issuer=Bank"

    private func csv(_ text: String) throws -> [ImportedPassword] { try PasswordCSV.read(Array(text.utf8)) }

    private func text(_ request: AddRequest?, _ key: AttributeKey) -> String? {
        if case .string(let text)? = request?.attributes[key] { text } else { nil }
    }

    private func address(in request: AddRequest?) -> String? {
        request?.secrets[.valueData].map { secret in
            unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    private let whole = "otpauth://totp/Bank:me?secret=JBSWY3DPEHPK3PXP&issuer=Bank&algorithm=SHA1&digits=6&period=30"

    @Test func `a code becomes an item beside its password, with the password's place and account`() throws {
        for header in ["Title,URL,Username,Password,Notes,OTPAuth", "Title,URL,Username,Password,Notes,TOTP"] {
            let password = try #require(try csv("\(header)\nBank,https://bank.example,me,p,,\(address)\n").first)
            #expect(password.lost.isEmpty)
            let request = password.codeRequest
            #expect(request?.itemClass == .genericPassword)
            #expect(text(request, .service) == "otpauth:bank.example" && text(request, .account) == "me")
            #expect(text(request, .label) == "Bank" && text(request, .kindText) == "one-time code")
            #expect(address(in: request) == whole)
            #expect(request.flatMap { CodeItem.place(of: $0.attributes) } == "bank.example")
            // The password's own item has nothing of it.
            #expect(password.request.secrets.keys.sorted { $0.description < $1.description } == [.valueData])
        }
        // Without a server the place is the service.
        let router = try csv("Title,URL,Username,Password,OTPAuth\nRouter,,me,p,\(address)\n").first
        #expect(text(router?.codeRequest, .service) == "otpauth:Router")
        #expect(try csv("Title,URL,Username,Password,OTPAuth\nRouter,,me,p,\n").first?.codeRequest == nil)
    }

    @Test func `a bare secret has the names of its password`() throws {
        let file =
            "name,login_uri,login_username,login_password,login_totp\nBank,https://bank.example,me,p,jbsw y3dp ehpk 3pxp\n"
        #expect(address(in: try csv(file).first?.codeRequest) == whole)
        let long = String(repeating: "ü", count: 300)
        let cut = try csv("name,username,password,totp\n\(long),me,p,JBSWY3DPEHPK3PXP\n").first
        #expect(cut?.codeRequest != nil)
    }

    @Test func `KeePass's fields become a code, and are not named as lost`() throws {
        func entry(_ fields: [(String, String)]) throws -> ImportedPassword? {
            let texts = ([("Title", "Bank"), ("UserName", "me"), ("Password", "p")] + fields).map { key, value in
                "<String><Key>\(key)</Key><Value>\(value)</Value></String>"
            }
            let xml = """
                <KeePassFile><Root><Group><Name>R</Name><Entry>\(texts.joined())</Entry></Group></Root></KeePassFile>
                """
            return try KeePassXML.read(Array(xml.utf8)).first
        }
        let addresses: [[(String, String)]] = [
            [("otp", address.replacing("&", with: "&amp;"))], [("TimeOtp-Secret-Base32", "JBSWY3DPEHPK3PXP")],
            [("TOTP Seed", "JBSWY3DPEHPK3PXP"), ("TOTP Settings", "30;6")],
        ]
        for fields in addresses {
            let password = try entry(fields)
            #expect(address(in: password?.codeRequest) == whole)
            #expect(password?.lost == [])
        }
        // One that is refused is named, with its fields.
        let refused = try entry([("TimeOtp-Secret-Base32", "!"), ("PIN", "1")])
        #expect(refused?.lost == ["PIN", "TimeOtp-Secret-Base32", "one-time code: \(CodeFailure.notBase32.message)"])
    }
}

@Suite("The JSON of Bitwarden")
struct BitwardenJSONTests {
    private func read(_ text: String) throws -> [ImportedPassword] { try BitwardenJSON.read(Array(text.utf8)) }

    @Test func `logins are read with their folders, addresses and codes, and the rest is named`() throws {
        let passwords = try read(
            """
            {"encrypted": false, "folders": [{"id": "f", "name": "Work/Bank"}], "items": [
              {"id": "1", "folderId": "f", "type": 1, "reprompt": 0, "name": "Bank", "notes": null, "favorite": true,
               "fields": [{"name": "PIN", "value": "1", "type": 1}], "passwordHistory": [{"password": "old"}],
               "login": {"fido2Credentials": [{"keyType": "public-key"}], "uris": [{"match": null, "uri": "https://bank.example"},
                 {"match": null, "uri": "https://other.example"}], "username": "me", "password": "p", "totp": "JBSWY3DPEHPK3PXP"},
               "collectionIds": null, "creationDate": "2026-01-01T00:00:00.000Z"},
              {"type": 1, "name": "Bare", "login": {"uris": null, "username": null, "password": "q", "totp": null}},
              {"type": 2, "name": "Note", "notes": "n", "secureNote": {"type": 0}},
              {"type": 3, "name": "Card", "card": {"number": "4111"}}, {"type": 9, "name": "New"},
              {"type": 1, "name": "Gone", "deletedDate": "2026-01-01T00:00:00.000Z", "login": {"password": "r"}}
            ]}
            """
        )
        #expect(passwords.map(\.title) == ["Bank", "Bare", "Note", "Card", "New", "Gone"])
        #expect(passwords.map(\.isTaken) == [true, true, false, false, false, false])
        #expect(passwords.map(\.refusal) == [nil, nil, "notes", "cards", "other entries", nil])
        #expect(passwords[0].folder == ["Work", "Bank"])
        #expect(passwords[0].lost == ["folder", "other addresses", "fields", "older passwords", "passkeys"])
        #expect(passwords[0].request.attributes["srvr"] == .string("bank.example"))
        #expect(passwords[0].codeRequest != nil && passwords[1].codeRequest == nil)
        #expect(passwords[1].request.attributes["svce"] == .string("Bare"))
    }

    @Test func `an organization's collections are its folders`() throws {
        let passwords = try read(
            #"{"collections": [{"id": "c", "name": "Team"}], "items": [{"type": 1, "name": "a", "collectionIds": ["c"], "login": {"password": "p"}}]}"#
        )
        #expect(passwords.map(\.folder) == [["Team"]])
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"items": 1}"#, #"{"items": [{"type": "x"}]}"#, #"{"encrypted": true, "items": []}"#,
        #"{"encrypted": true, "passwordProtected": true, "data": "2.x"}"#,
        String(repeating: "[", count: 100_000), #"{"items": "# + String(repeating: "[", count: 100_000),
        #"{"items": [{"fields": [ "# + String(repeating: "{\"a\":", count: 50_000),
    ])
    func `what is no such file is refused`(text: String) {
        #expect(throws: ImportFailure.self) { try read(text) }
    }
}
