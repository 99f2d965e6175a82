import Foundation
import KeychainModel
import Terminal
import Testing

@testable import SecurityTool

private func item(_ itemClass: ItemClass, _ attributes: [String: Any]) throws -> KeychainItem {
    try #require(KeychainItem(itemClass, result: attributes.merging(["v_PersistentRef": Data([1])]) { $1 }))
}

@Test
func `a key is printed with the attributes it has`() throws {
    let key = try item(.key, ["labl": "my key", "kcls": NSNumber(value: 1), "klbl": Data([0, 1]), "agrp": "a\n"])
    let text = AttributePrinter().text(for: key)
    #expect(
        text.hasSuffix(
            """
            class: "keys"
            attributes:
                0x00000007 <blob>="my key"
                0x00000008 <blob>=<NULL>
                "agrp"<blob>=0x610A  "a\\012"
                "kcls"<uint32>=0x00000001\u{20}
                "klbl"<blob>=0x0001  "\\000\\001"

            """
        )
    )
    #expect(ItemJSON.value(of: key).text().contains(#""group": "a\n""#))
    #expect(ItemColumns([key]).text(width: nil).contains(#"key    a\n    my key"#))
}

@Test
func `a value that is not UTF-8 is base64 in JSON`() throws {
    let password = try item(.genericPassword, ["acct": Data([0xFF]), "svce": "x", "crtr": NSNumber(value: 7)])
    let text = ItemJSON.value(of: password, password: Data([0x80])).text()
    #expect(text.contains("\"account\": {\n    \"base64\": \"/w==\"\n  }"))
    #expect(text.contains("\"password\": {\n    \"base64\": \"gA==\"\n  }"))
    #expect(text.contains("\"creator\": 7"))
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
}

@Test(arguments: [20, 40, 79, 80, 200])
func `a table is never wider than the terminal where that can be`(width: Int) throws {
    let accents = String(repeating: "e\u{301}", count: 60)
    let items = try [
        item(.genericPassword, ["acct": "日本語日本語日本語日本語", "svce": accents, "agrp": "g"]),
        item(.internetPassword, ["acct": "👩‍💻 developer", "srvr": String(repeating: "x", count: 300), "agrp": "group"]),
    ]
    let lines = ItemColumns(items).text(width: width).split(separator: "\n")
    // The columns that do not give way take 60.
    #expect(lines.allSatisfy { TerminalText.width(String($0)) <= max(width, 80) })
    #expect(lines.count == 3)
}
