import Crypto
import Foundation
import KeychainCodes
import KeychainModel
import Testing

@testable import PasswordImport

@Suite("Reading the Credential Exchange Format")
struct CXFReaderTests {
    private func read(_ text: String) throws -> CXFContents { try CXF.read(Array(text.utf8)) }

    @Test func `a document's passwords are read with codes, notes and folders, and the rest is named`() throws {
        let contents = try read(CXFSamples.whole)
        #expect(contents.passkeys.isEmpty)
        let passwords = contents.passwords
        #expect(passwords.map(\.title) == ["Bank", "Recovery", "Visa", "Me", "Server", "Home", "Cloud", "New"])
        #expect(passwords.map(\.isTaken) == [true] + Array(repeating: false, count: 7))
        let unknown = "brain-scan???31m" + String(repeating: "x", count: 16)
        #expect(
            passwords.map(\.refusal) == [
                nil, "notes", "cards", "names of persons, addresses, passports", "SSH keys", "Wi-Fi passwords",
                "API keys",
                "credentials of the type “\(unknown)…”",
            ]
        )
        let bank = passwords[0]
        #expect(bank.userName == "me" && bank.password.testText == "p\"ä" && bank.url == "https://bank.example/login")
        #expect(bank.notes == "first\n\nsecond" && bank.folder == ["Work", "Banks"])
        #expect(
            bank.lost == [
                "folder", "fields", "attachments", "other addresses", "Android apps", "subtitle", "favorite", "tags",
                "extensions",
            ]
        )
        #expect(bank.code?.algorithm == .sha256 && bank.code?.issuer == "Bank" && bank.code?.account == "me")
        #expect(bank.request.attributes["srvr"] == .string("bank.example"))
        #expect(bank.codeRequest != nil)
    }

    @Test func `one account is read, with a code that has no password and a passkey beside one`() throws {
        let contents = try read(CXFSamples.account)
        #expect(contents.passwords.map(\.title) == ["site.example", "code.example"])
        #expect(contents.passwords.allSatisfy { $0.isTaken && $0.lost.isEmpty })
        #expect(contents.passwords[0].password.testText == "secret" && contents.passwords[0].code == nil)
        let code = contents.passwords[1]
        #expect(code.password.count == 0 && code.userName == "you" && code.code?.digits == 8 && code.code?.period == 60)
        let passkey = try #require(contents.passkeys.first)
        #expect(passkey.isTaken && passkey.unplaced.isEmpty && passkey.seeds == nil && passkey.blob.isEmpty)
        #expect(passkey.credentialID == [1, 2, 3, 4] && passkey.userHandle == Array("handle".utf8))
        #expect(passkey.site == "site.example" && passkey.userName == "me" && passkey.userDisplayName == "Me Myself")
        let key = try P256.Signing.PrivateKey(derRepresentation: passkey.key.testBytes)
        #expect(key.rawRepresentation == CXFSamples.key.rawRepresentation)
    }

    @Test func `each name and password of an entry is one of its own`() throws {
        let login = #"{"type": "basic-auth", "username": "NAME", "password": {"value": "p"}}"#
        let twice = login.replacing("NAME", with: "a") + "," + login.replacing("NAME", with: "b")
        let code = #"{"type": "totp", "secret": "JBSWY3DPEHPK3PXP"}"#
        let passwords = try read(CXFSamples.item("\(twice), \(code), \(code)")).passwords
        #expect(passwords.map(\.userName) == ["a", "b"] && passwords.map { $0.code != nil } == [true, false])
        #expect(passwords.map(\.lost) == [["other one-time codes"], []])
    }

    @Test func `a code that is refused is named with its reason, and a long name of it is left out`() throws {
        let login = #"{"type": "basic-auth", "password": {"value": "p"}}"#
        func password(_ members: String) throws -> ImportedPassword? {
            try read(CXFSamples.item(#"\#(login), {"type": "totp", \#(members)}"#)).passwords.first
        }
        #expect(try password(#""secret": "!""#)?.lost == ["one-time codes: \(CodeFailure.notBase32.message)"])
        let md5 = try password(#""secret": "JBSWY3DPEHPK3PXP", "algorithm": "md5""#)
        #expect(md5?.lost == ["one-time codes: \(CodeFailure.otherAlgorithm.message)"])
        let long = String(repeating: "i", count: 300)
        #expect(try password(#""secret": "JBSWY3DPEHPK3PXP", "issuer": "\#(long)""#)?.code?.issuer == "")
        #expect(try password(#""secret": 5"#)?.lost == ["one-time codes that cannot be read"])
        #expect(try password(#""secret": "JBSWY3DPEHPK3PXP", "digits": 1e99"#)?.isTaken == true)
        let alone = try read(CXFSamples.item(#"{"type": "totp", "secret": ""}"#)).passwords.first
        #expect(alone?.refusal == "one-time codes: \(CodeFailure.noSecret.message)")
    }

    @Test func `a login without a password beside a passkey is the passkey's`() throws {
        func contents(_ name: String) throws -> CXFContents {
            let login = #"{"type": "basic-auth", "username": {"fieldType": "string", "value": "\#(name)"}}"#
            let passkey = CXFSamples.passkey(extensions: nil)
            return try read(CXFSamples.item("\(login), \(passkey)", #", "tags": ["t"]"#))
        }
        #expect(try contents("me").passwords.isEmpty)
        #expect(try contents("me").passkeys.map(\.unplaced) == [["tags"]])
        #expect(try contents("you").passwords.map(\.refusal) == ["user names without a password"])
        #expect(try read(CXFSamples.item("")).passwords.map(\.refusal) == ["entries without credentials"])
    }

    @Test func `a passkey's extensions are taken, and those that cannot be are named`() throws {
        func passkey(_ extensions: String) throws -> ImportedPasskey {
            let credential = CXFSamples.passkey(extensions: extensions)
            return try #require(try read(CXFSamples.item(credential)).passkeys.first)
        }
        let seeds = [UInt8(1), 2].map { CXFSamples.base64(Array(repeating: $0, count: 32)) }
        func hmac(_ algorithm: String, _ seed: String) -> String {
            #""hmacCredentials": {"algorithm": "\#(algorithm)", "credWithUV": "\#(seed)", "credWithoutUV": "\#(seeds[1])"}"#
        }
        let good = try passkey(#"{\#(hmac("hmac-sha256", seeds[0])), "credBlob": "AQI", "payments": false}"#)
        #expect(good.seeds?.verified.testBytes == Array(repeating: 1, count: 32))
        #expect(good.seeds?.unverified.testBytes == Array(repeating: 2, count: 32))
        #expect(good.blob == [1, 2] && good.unplaced.isEmpty)
        let large = #""largeBlob": {"uncompressedSize": 1, "data": "AQ"}, "payments": true, "hmacSecret": {}"#
        let blob = CXFSamples.base64(Array(repeating: 0, count: 33))
        let bad = try passkey(#"{\#(hmac("hmac-sha512", seeds[0])), "credBlob": "\#(blob)", \#(large)}"#)
        #expect(bad.unplaced == ["hmacCredentials", "credBlob", "largeBlob", "payments", "other extensions"])
        #expect(bad.isTaken && bad.seeds == nil && bad.blob.isEmpty)
        #expect(try passkey("{\(hmac("hmac-sha256", "AQ"))}").unplaced == ["hmacCredentials"])
        #expect(try passkey("5").unplaced == ["fido2Extensions"])
        #expect(try passkey("null").unplaced == [])
    }

    @Test func `a passkey that cannot be taken is refused, and the others are not`() throws {
        func refusal(_ key: String, _ name: String = "credentialId", _ value: String = "AQ") throws -> [String?] {
            let passkey = CXFSamples.passkey(key: key, extensions: nil)
                .replacing(try Regex(#""\#(name)": "[^"]*""#), with: #""\#(name)": "\#(value)""#)
            return try read(CXFSamples.item(passkey)).passkeys.map(\.refusal)
        }
        let good = CXFSamples.keyText
        let wrongKey = "with a key that is damaged or not for P-256 (ES256)"
        let others = [P384.Signing.PrivateKey().derRepresentation, Data([0x30, 0x00]), Data()]
        for key in others { #expect(try refusal(CXFSamples.base64(key)) == [wrongKey]) }
        #expect(try refusal("a+/=") == [wrongKey])
        // Without the public key, which the format does not ask for.
        let short: [UInt8] =
            [
                0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
                0x08,
            ]
            + [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20]
            + CXFSamples.key.rawRepresentation
        #expect(try refusal(CXFSamples.base64(short)) == [nil])
        let long = String(repeating: "A", count: 2_000)
        #expect(try refusal(good) == [nil])
        for (name, value) in [("credentialId", ""), ("credentialId", long), ("userHandle", ""), ("userHandle", "*")] {
            #expect(try refusal(good, name, value) == ["with an identifier that is damaged, empty or too long"])
        }
        for (name, value) in [("rpId", ""), ("rpId", long), ("username", long + long + long)] {
            #expect(try refusal(good, name, value) == ["with a name that is empty or too long"])
        }
        let missing = try read(CXFSamples.item(#"{"type": "passkey", "rpId": "site.example"}"#))
        #expect(missing.passwords.map(\.refusal) == ["passkeys that cannot be read"])
    }

    @Test func `an entry in two folders, and one of another account, are found`() throws {
        let login = #"{"type": "basic-auth", "password": {"value": "p"}}"#
        let link = #"{"item": "Ag", "account": "Qg"}"#
        let contents = try read(
            """
            {"accounts": [{"id": "QQ", "items": [], "collections": [{"title": "A", "items": [\(link)]}]},
             {"id": "Qg", "collections": [{"title": "B", "items": [{"item": "Ag"}]}],
              "items": [{"id": "Ag", "title": "x", "credentials": [\(login)]}]}]}
            """
        )
        #expect(contents.passwords.map(\.folder) == [["A"]])
        #expect(contents.passwords.map(\.lost) == [["folder", "other folders"]])
    }

    @Test func `what a keychain would refuse is refused by name, and the others are read`() throws {
        let login = #"{"type": "basic-auth", "username": {"value": "NAME"}, "password": {"value": "p"}}"#
        let long = login.replacing("NAME", with: String(repeating: "n", count: CXF.longestName + 1))
        let passwords = try read(CXFSamples.item("\(login), \(long)")).passwords
        #expect(passwords.map(\.refusal) == [nil, "entries with a name that is too long"])
        let note = String(repeating: "n", count: AttributeKind.largestAttribute + 1)
        let noted = try read(CXFSamples.item(#"\#(login), {"type": "note", "content": {"value": "\#(note)"}}"#))
            .passwords
        #expect(noted.map(\.lost) == [["notes"]] && noted.map(\.notes) == [""])
    }

    @Test func `only files of the format are recognized`() {
        for text in [CXFSamples.whole, CXFSamples.account] { #expect(CXF.recognizes(Array(text.utf8))) }
        let others = [#"{"encrypted": false, "folders": [], "items": []}"#, "", "[]", "<x/>", #"{"accounts": ["#]
        for text in others { #expect(!CXF.recognizes(Array(text.utf8))) }
    }
}
