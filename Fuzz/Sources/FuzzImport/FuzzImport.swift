import Foundation
import FuzzSupport

@testable import KeePassImport
@testable import PasswordImport

/// Files of other programs: whatever is in them, they are read or refused. The first byte chooses the format.
@main
enum FuzzImport: FuzzTarget {
    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let format = source.byte() % 4
        let contents = source.rest()
        let passwords: [ImportedPassword]? =
            switch format {
            case 0: try? PasswordCSV.read(contents)
            case 1: try? KeePassXML.read(contents)
            case 2: try? BitwardenJSON.read(contents)
            default: try? CXF.read(contents).passwords
            }
        for password in passwords ?? [] { _ = (password.request, password.codeRequest) }
    }

    static func seeds() throws -> [String: [UInt8]] {
        let csv = "Title,URL,Username,Password,Notes\r\n\"a, \"\"b\"\"\",https://u@example.org:8443/x,me,p,\"1\n2\"\r\n"
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?><KeePassFile><Meta><RecycleBinUUID>b=</RecycleBinUUID></Meta><Root>
            <Group><UUID>r=</UUID><Name>R</Name><Entry><String><Key>Title</Key><Value>t</Value></String>
            <String><Key>Password</Key><Value>&lt;p</Value></String><History><Entry/></History></Entry>
            </Group></Root></KeePassFile>
            """
        let json =
            #"{"folders": [{"id": "f", "name": "F"}], "items": [{"type": 1, "folderId": "f", "login": {"password": "p", "totp": "JBSWY3DP"}}]}"#
        let cxf = """
            {"version": {"major": 1, "minor": 0}, "accounts": [{"id": "AQ", "collections": [{"title": "F", "items":
            [{"item": "Ag"}]}], "items": [{"id": "Ag", "title": "t", "scope": {"urls": ["https://a.example"]}, "credentials":
            [{"type": "basic-auth", "password": {"fieldType": "concealed-string", "value": "p"}}, {"type": "totp", "secret":
            "JBSWY3DP", "period": 30, "digits": 6}, {"type": "passkey", "credentialId": "AQ", "rpId": "a.example",
            "userHandle": "AQ", "key": "MEECAQ", "fido2Extensions": {"credBlob": "AQ", "payments": true}}]}]}]}
            """
        return [
            "csv": [0] + Array(csv.utf8), "xml": [1] + Array(xml.utf8), "json": [2] + Array(json.utf8),
            "cxf": [3] + Array(cxf.utf8),
        ]
    }
}
