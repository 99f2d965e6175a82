import Foundation
import Testing

@testable import PasswordImport

@Suite("Files that are not in the Credential Exchange Format")
struct CXFHostileFileTests {
    private func read(_ text: String) throws -> CXFContents { try CXF.read(Array(text.utf8)) }

    private func message(_ text: String) -> String? {
        do throws(ImportFailure) {
            _ = try CXF.read(Array(text.utf8))
            return nil
        } catch {
            return error.message
        }
    }

    private static let whatToChoose = "choose an export of the Credential Exchange Format as JSON, without encryption"

    @Test(arguments: [
        "PK\u{3}\u{4}": "the file is an archive, as encrypted exchanges are; \(whatToChoose)",
        "eyJhbGciOiJkaXIifQ..AQ.AQ.AQ": "the file is encrypted; \(whatToChoose)",
        #"{"protected": "AQ", "recipients": [], "ciphertext": "AQ"}"#: "the file is encrypted; \(whatToChoose)",
        #"{"version": {"major": 0, "minor": 0}, "payload": "AQ"}"#: "the file is encrypted; \(whatToChoose)",
        #"{"encrypted": false, "folders": [], "items": []}"#:
            "the file is Bitwarden's own JSON, and not of the Credential Exchange Format",
        #"{"version": {"major": 2, "minor": 0}, "accounts": []}"#:
            "the file has a version of the Credential Exchange Format that is not known here",
        #"{"version": "1", "accounts": []}"#:
            "the file does not say which version of the Credential Exchange Format it has",
        #"{}"#: "the file has no accounts: it is not of the Credential Exchange Format",
        #"[]"#: "the JSON in the file is not of the Credential Exchange Format",
        #""#: "the file is not JSON, or is cut short",
    ])
    func `a file that is refused is refused with a reason`(text: String, reason: String) {
        #expect(message(text) == reason)
    }

    @Test(arguments: [
        "null", "5", #"{"accounts": 5}"#, #"{"accounts": {}}"#, #"{"accounts": null}"#, #"{"accounts": [5]}"#,
        #"{"accounts": [{}]}"#, #"{"accounts": [{"items": null}]}"#, #"{"accounts": [{"items": {}}]}"#,
        #"{"items": [5]}"#, #"{"items": [{"title": 5}]}"#, #"{"items": [{"credentials": {}}]}"#,
        #"{"items": [{"scope": {"urls": [null]}}]}"#, #"{"items": [{"scope": []}]}"#,
        #"{"items": [{"scope": {"urls": [5]}}]}"#,
        #"{"items": [{"favorite": "yes"}]}"#, #"{"items": [{"tags": 1}]}"#,
        #"{"items": [], "collections": [5]}"#, #"{"items": [], "collections": [{"items": [{"item": 5}]}]}"#,
    ])
    func `a member of another type is refused`(text: String) {
        #expect(message(text) == "the JSON in the file is not of the Credential Exchange Format")
    }

    @Test func `a credential that cannot be read is named, and the others are read`() throws {
        let login = #"{"type": "basic-auth", "username": {"fieldType": "string", "value": "me"}}"#
        let damaged = [
            "5", "null", "[]", "{}", #"{"type": 5}"#, #"{"type": "basic-auth", "password": 5}"#,
            #"{"type": "note", "content": {"value": []}}"#, #"{"type": "custom-fields", "fields": 5}"#,
        ]
        let passwords = try read(CXFSamples.item(([login] + damaged).joined(separator: ","))).passwords
        #expect(passwords.map(\.userName) == ["me"])
        #expect(
            passwords.map(\.lost) == [
                [
                    "credentials without a type", "passwords that cannot be read", "notes that cannot be read",
                    "fields that cannot be read",
                ]
            ]
        )
    }

    @Test func `a file that is cut short at any byte is refused`() {
        for text in [CXFSamples.whole, CXFSamples.account] {
            let bytes = Array(text.utf8)
            let taken = bytes.indices.filter { (try? CXF.read(Array(bytes[..<$0]))) != nil }
            #expect(taken.isEmpty)
        }
    }

    @Test func `a file with a changed byte is read or refused`() throws {
        let bytes = Array(CXFSamples.account.utf8)
        for index in bytes.indices {
            for byte: UInt8 in [0x00, 0x22, 0x5B, 0xFF] {
                var changed = bytes
                changed[index] = byte
                for password in (try? CXF.read(changed))?.passwords ?? [] {
                    _ = (password.request, password.codeRequest, password.lost)
                }
            }
        }
    }

    @Test func `deep nesting is refused`() throws {
        let deep = 100_000
        let arrays = String(repeating: "[", count: deep)
        for text in [arrays, #"{"accounts": "# + arrays, #"{"items": [{"extensions": "# + arrays] {
            #expect(throws: ImportFailure.self) { try read(text) }
        }
        func folders(_ count: Int) -> String {
            let start = String(repeating: #"{"title": "f", "subCollections": ["#, count: count - 1)
            let end = String(repeating: "]}", count: count - 1)
            let link = #"{"title": "f", "items": [{"item": "Ag"}]}"#
            let login = #"{"id": "Ag", "credentials": [{"type": "basic-auth", "password": "p"}]}"#
            return #"{"accounts": [{"collections": [\#(start)\#(link)\#(end)], "items": [\#(login)]}]}"#
        }
        #expect(try read(folders(64)).passwords.first?.folder.count == 64)
        for count in [65, 200] { #expect(message(folders(count)) == "the file has folders that are nested too deeply") }
        #expect(throws: ImportFailure.self) { try read(folders(deep)) }
    }

    @Test func `a file with too many parts is refused`() {
        let blanks = Array(repeating: UInt8(ascii: " "), count: CXF.largestFile + 1)
        #expect(throws: ImportFailure("the file is larger than 64 MiB")) { try CXF.read(blanks) }
        let items = Array(repeating: "{}", count: CXF.mostItems + 1).joined(separator: ",")
        #expect(message(#"{"items": [\#(items)]}"#) == "the file has more than 100000 entries")
        let parts = Array(repeating: "0", count: CXFAllowance.mostElements).joined(separator: ",")
        #expect(message(#"{"items": [{"extensions": [\#(parts)]}]}"#) == "the file has more than 1000000 parts")
    }
}
