import Foundation
import FuzzSupport

@testable import PasswordImport

/// Files of other programs: whatever is in them, they are read or refused. The first byte chooses the format.
@main
enum FuzzImport: FuzzTarget {
    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let format = source.byte() % 3
        let contents = source.rest()
        let passwords =
            switch format {
            case 0: try? PasswordCSV.read(contents)
            case 1: try? KeePassXML.read(contents)
            default: try? BitwardenJSON.read(contents)
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
        return ["csv": [0] + Array(csv.utf8), "xml": [1] + Array(xml.utf8), "json": [2] + Array(json.utf8)]
    }
}
