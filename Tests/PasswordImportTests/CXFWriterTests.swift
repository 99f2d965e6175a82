import Crypto
import Foundation
import KeychainCodes
import KeychainModel
import Testing

@testable import PasswordImport

@Suite("Writing the Credential Exchange Format")
struct CXFWriterTests {
    private func document(_ passwords: [ImportedPassword], _ passkeys: [ImportedPasskey] = []) -> [UInt8] {
        var next: UInt8 = 0
        return CXFWriter.document(passwords: passwords, passkeys: passkeys, timestamp: 1_757_000_000) {
            next += 1
            return Array(repeating: next, count: 16)
        }.testBytes
    }

    private func password(_ title: String, _ userName: String, _ value: String) -> ImportedPassword {
        var password = ImportedPassword()
        password.title = title
        password.userName = userName
        password.password = SecretBytes(Array(value.utf8))
        return password
    }

    private func code(_ issuer: String, _ account: String, period: Int = 30) throws -> OneTimeCode {
        try OneTimeCode(
            secret: SecretBytes(Array("12345678901234567890".utf8)),
            algorithm: .sha512,
            digits: 8,
            period: period,
            issuer: issuer,
            account: account
        )
    }

    @Test func `a document has the members that the format asks for`() throws {
        var bank = password("Bank", "me", "p")
        bank.url = "https://bank.example"
        bank.notes = "n"
        bank.folder = ["Work"]
        bank.code = try code("Bank", "me")
        let folder = CXFSamples.base64(Array(repeating: 3, count: 16))
        let item = CXFSamples.base64(Array(repeating: 2, count: 16))
        let login = """
            {"type":"basic-auth","username":{"fieldType":"string","value":"me"},"password":{"fieldType":"concealed-string",\
            "value":"p"}}
            """
        let code = """
            {"type":"totp","secret":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ","period":30,"digits":8,"username":"me",\
            "algorithm":"sha512","issuer":"Bank"}
            """
        let expected = """
            {"version":{"major":1,"minor":0},"exporterRpId":"chatelaine.invalid","exporterDisplayName":"Chatelaine",\
            "timestamp":1757000000,"accounts":[{"id":"AQEBAQEBAQEBAQEBAQEBAQ","username":"","email":"","items":[\
            {"id":"\(item)","title":"Bank","scope":{"urls":["https://bank.example"],"androidApps":[]},"credentials":[\
            \(login),\(code),{"type":"note","content":{"fieldType":"string","value":"n"}}]}],"collections":[\
            {"id":"\(folder)","title":"Work","items":[{"item":"\(item)"}]}]}]}

            """
        #expect(String(decoding: document([bank]), as: UTF8.self) == expected)
    }

    @Test func `what is written is read as it was`() throws {
        let awkward = "a\"\\\n\t\u{0}\u{1F}\u{7F}/ü\u{2028}👩‍👩‍👧"
        var first = password(awkward, awkward, awkward)
        first.url = "https://bank.example/\(awkward)"
        first.notes = awkward
        first.folder = ["Work", awkward]
        var second = password("b", "", "q")
        second.folder = ["Work"]
        second.code = try code("", "me", period: 60)
        var alone = password("code", "me", "")
        alone.code = try code("Issuer", "me")
        var named = password("code", "you", "")
        named.code = try code("Issuer", "me")
        let written = [first, second, alone, named, password("no password", "me", "")]
        let contents = try CXF.read(document(written))
        #expect(contents.passkeys.isEmpty && contents.passwords.count == written.count)
        for (read, original) in zip(contents.passwords, written) {
            #expect(read.title == original.title && read.userName == original.userName && read.url == original.url)
            #expect(read.notes == original.notes && read.folder == original.folder)
            #expect(read.password.isEqual(to: original.password) && read.isTaken && read.unplaced.isEmpty)
            #expect((read.code == nil) == (original.code == nil))
            if let code = read.code, let other = original.code {
                #expect(code.uri.isEqual(to: other.uri))
            }
        }
    }

    @Test func `passkeys are read as they were`() throws {
        var plain = ImportedPasskey()
        plain.credentialID = Array(0...255)
        plain.site = "site.example"
        plain.userName = "me \"quoted\""
        plain.userDisplayName = "Me"
        plain.userHandle = [0]
        plain.key = SecretBytes(CXFSamples.key.derRepresentation)
        var rich = plain
        rich.seeds = ImportedPasskey.Seeds(
            verified: SecretBytes(Array(repeating: 1, count: 32)),
            unverified: SecretBytes(Array(repeating: 0xFF, count: 32))
        )
        rich.blob = [1, 2, 3]
        let contents = try CXF.read(document([password("a", "b", "c")], [plain, rich]))
        #expect(contents.passwords.count == 1 && contents.passkeys.count == 2)
        for (read, original) in zip(contents.passkeys, [plain, rich]) {
            #expect(read.isTaken && read.unplaced.isEmpty && read.credentialID == original.credentialID)
            #expect(read.site == original.site && read.userHandle == original.userHandle && read.blob == original.blob)
            #expect(read.userName == original.userName && read.userDisplayName == original.userDisplayName)
            #expect(read.key.isEqual(to: original.key))
            #expect(read.seeds?.verified.testBytes == original.seeds?.verified.testBytes)
            #expect(read.seeds?.unverified.testBytes == original.seeds?.unverified.testBytes)
        }
    }

    @Test func `an empty document is one, and identifiers are not repeated`() throws {
        #expect(try CXF.read(document([])).passwords.isEmpty)
        #expect(CXF.recognizes(document([])))
        let text = String(decoding: document([password("a", "", "p"), password("b", "", "q")]), as: UTF8.self)
        let identifiers = text.matches(of: /"id":"([^"]*)"/).map(\.output.1)
        #expect(identifiers.count == 3 && Set(identifiers).count == 3)
    }

    @Test func `a password that is no text, and a code that the format cannot have, are left out`() throws {
        var writer = CXFWriter(timestamp: 0) { [1] }
        var binary = password("a", "me", "")
        binary.password = SecretBytes([0xFF, 0xFE])
        #expect(writer.entry(binary) == nil)
        var slow = password("Bank", "me", "p")
        slow.code = try code("", "", period: 256)
        #expect(writer.entry(slow) != nil)
        #expect(writer.unwritten == ["Bank, me: the code changes less often than every 255 seconds"])
    }

    @Test func `Base64 for URLs is written without padding and read with it`() {
        for count in 0...70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let text = Base64URL.encode(bytes)
            let padded = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(String(decoding: text, as: UTF8.self) == padded.replacing("=", with: ""))
            #expect(Base64URL.decode(text) == bytes && Base64URL.decode(Array(padded.utf8)) == bytes)
        }
        for text in ["A", "AAAAA", "A A", "AA===", "+/", "ä"] { #expect(Base64URL.decode(Array(text.utf8)) == nil) }
    }
}
