import Testing

@testable import KeychainPinentry

/// Text of programs that want a person to believe something.
@Suite struct PromptTextTests {
    private func foreign(_ text: String, _ characters: Int = 64, bytes: Int = 192) -> String {
        PromptText(foreign: text, limit: .init(characters: characters, bytes: bytes)).text
    }

    @Test(arguments: [
        "Mail", "Tom’s App", "Tom's App", "Größe 5 %", "メール", "Почта", "أ ب", "naïve café", "a_b", "C:\\x", "a<b>&c",
        "😀", "हिन्दी",
    ])
    func `an honest name stays as it is`(_ name: String) {
        #expect(foreign(name) == name)
    }

    @Test func `on a small terminal a reason still says who asks from where, and for what`() {
        let fingerprint = "SHA256:" + String(repeating: "x", count: 43)
        let reason = "asked from relay.example: log in to server.example (\(fingerprint)) as alice"
        let text: PromptText = "The program “\(String(repeating: "p", count: 64))” says: “\(reason, limit: .sentence)”"
        #expect(text.brief.contains(reason))
        // The control: a name is cut.
        #expect(!text.brief.contains(String(repeating: "p", count: 30)))
    }

    @Test func `lines and tabs become spaces`() {
        #expect(foreign("a\nb\r\nc\td\u{b}e\u{c}f\u{85}g\u{2028}h\u{2029}i") == "a b c d e f g h i")
    }

    @Test func `control characters are gone`() {
        let controls = (0...0x9F).compactMap { Unicode.Scalar(UInt32($0)) }.filter {
            $0.properties.generalCategory == .control
        }
        let text = String(String.UnicodeScalarView(controls.flatMap { ["x", $0] }))
        #expect(foreign(text, 200, bytes: 800).unicodeScalars.allSatisfy { $0 == "x" || $0 == " " })
        #expect(foreign("\u{1b}[2J\u{1b}]0;title\u{7}") == "[2J]0;title")
    }

    @Test(
        arguments: [
            0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0x200E, 0x200F, 0x061C,
            // Zero width, and other things that are not seen.
            0x200B, 0x200C, 0x200D, 0x2060, 0x2061, 0xFEFF, 0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x180E, 0x3164,
            0xFE0F, 0xFFA0,
            0xFFF9, 0xFFFC, 0xE0001, 0xE0041, 0xE0100, 0x1D173,
            // Private, not assigned, no characters.
            0xE000, 0xF8FF, 0xF0000, 0x10FFFD, 0x0378, 0xFFFF, 0xFDD0, 0x1FFFE,
        ] as [UInt32]
    )
    func `what is not seen or turns text around is gone`(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(foreign("a\(Character(scalar))b") == "ab")
        #expect(PromptText(own: "a\(Character(scalar))b").text == "ab")
    }

    @Test(arguments: [0xA0, 0x1680, 0x2000, 0x2007, 0x200A, 0x202F, 0x205F, 0x3000, 0x2800] as [UInt32])
    func `every blank is one space, and many are one`(_ value: UInt32) throws {
        let blank = Character(try #require(Unicode.Scalar(value)))
        #expect(foreign("\(blank)a\(blank)\(blank) \(blank)b\(blank)") == "a b")
    }

    @Test(arguments: [
        "\"", "“", "”", "„", "‟", "«", "»", "‹", "›", "‘", "‚", "‛", "「", "」", "『", "』", "〝", "〞", "〟", "＂", "″", "‶",
        "ʺ", "ˮ", "〃", "❝", "❞",
        "״", "⹂",
    ])
    func `a name cannot end our quotation`(_ quotation: String) {
        let name = "Mail\(quotation) is locked. Your bank asks: \(quotation)"
        #expect(PromptText("“\(name)” asks").text == "“Mail' is locked. Your bank asks: '” asks")
    }

    @Test func `what stands in our source keeps its lines and quotation marks`() {
        let text: PromptText = "“Mail” asks:\n\nline %1 of _ours_"
        #expect(text.text == "“Mail” asks:\n\nline %1 of _ours_")
    }

    @Test func `a name that is interpolated makes no line`() {
        #expect(("1\n\("2\n3")\n4" as PromptText).text == "1\n2 3\n4")
    }

    @Test func `text that is safe already is interpolated as it is`() {
        let part: PromptText = "“\("a\"b")”\nline"
        #expect(("x \(part) \(3)" as PromptText).text == "x “a'b”\nline 3")
    }

    @Test func `more than one empty line pushes nothing out of sight`() {
        #expect(PromptText(own: "a\n\n\n\n \n\nb\n\n").text == "a\n\nb")
    }

    @Test func `a long name is cut, and one sees that it was`() {
        #expect(foreign("abcd", 4) == "abcd")
        #expect(foreign("abcde", 4) == "abc…")
        #expect(foreign("ab cde", 4) == "ab…")
        #expect(foreign("abc   ", 3) == "abc")
        #expect(foreign("", 4) == "")
    }

    @Test func `bytes count too`() {
        #expect(foreign("ääää", 64, bytes: 8) == "ääää")
        #expect(foreign("äääää", 64, bytes: 8) == "ää…")
        #expect(foreign("😀😀😀", 64, bytes: 8) == "😀…")
        #expect(foreign("ab", 64, bytes: 1) == "")
        for bytes in 0...40 {
            #expect(foreign(String(repeating: "e\u{301}😀 ä", count: 20), 64, bytes: bytes).utf8.count <= bytes)
        }
        for characters in 1...20 {
            let cut = foreign(String(repeating: "e\u{301}😀 ä", count: 20), characters)
            #expect(cut.count <= characters && cut.hasSuffix("…"))
        }
    }

    @Test func `marks do not pile up, and none stands at the beginning`() {
        #expect(foreign("\u{301}a" + String(repeating: "\u{301}", count: 500) + "b") == "a\u{301}\u{301}\u{301}b")
        #expect(foreign("a \u{20dd}b") == "a b")
        #expect(("“\("\u{20dd}x")”" as PromptText).text == "“x”")
    }

    @Test(arguments: ["x", "\u{200b}", "a\u{301}", " ", "\n", "\"", "😀", "\u{301}", "%", "_"])
    func `of a megabyte as much is shown as of little`(_ unit: String) {
        let text = String(repeating: unit, count: (1 << 20) / unit.utf8.count)
        #expect(foreign(text).utf8.count <= 192)
        let own = PromptText(own: text).text
        #expect(AssuanCommand.line("SETDESC", own).count <= AssuanCommand.longestLine)
    }

    @Test func `what is hidden behind much that is not seen is marked as cut`() {
        #expect(foreign("Mail" + String(repeating: "\u{200b}", count: 100_000) + "x").hasSuffix("…"))
    }

    @Test func `what grows by escapes does not push our words out of the line`() {
        for unit in ["%", "_", "ä%", "\""] {
            let text = String(repeating: unit, count: 1000)
            let prompt: PromptText = "“\(text)” asks:\n“\(text, limit: .sentence)” of “\(text)”\nOur last words."
            let line = AssuanCommand.line("SETDESC", prompt.text)
            #expect(String(decoding: line, as: UTF8.self).hasSuffix("%0AOur last words.\n"))
        }
    }

    @Test func `a line is escaped, and cut where escapes make it too long`() {
        #expect(AssuanCommand.line("SETDESC", "100%\na_b\r") == Array("SETDESC 100%25%0Aa_b%0D\n".utf8))
        #expect(AssuanCommand.line("SETOK", "a_b", isLabel: true) == Array("SETOK a__b\n".utf8))
        for unit in ["%", "_", "a", "ä", "😀", "\n", "e\u{301}"] {
            for count in [100, 330, 331, 332, 333, 496, 990, 991, 992, 5000] {
                let line = AssuanCommand.line("SETDESC", String(repeating: unit, count: count), isLabel: unit == "_")
                #expect(line.count <= 1000)
                let text = String(validating: line, as: UTF8.self)
                #expect(text?.hasSuffix("\n") == true)
                let body = text?.dropFirst("SETDESC ".count).dropLast() ?? ""
                let whole = body.replacing("%25", with: "").replacing("%0A", with: "").replacing("__", with: "")
                #expect(!whole.contains("%") && !whole.contains("_"), "no half of an escape")
                let isCut = body.hasSuffix("…") || body.hasSuffix("...")
                #expect(
                    isCut
                        || line.count == "SETDESC \n".utf8.count + AssuanCommand.line("X", unit, isLabel: unit == "_")
                            .count * count - 3 * count
                )
            }
        }
    }

    @Test func `where there is only ASCII, nothing else is left`() {
        #expect(
            PlainText.ascii("“Grüße” – ’x’… e\u{301}メ\n") == "\"Gr??e\" - 'x'... e??\n".replacing("e??", with: "e?")
        )
        #expect(PlainText.ascii("“Grüße”").utf8.allSatisfy { $0 < 0x80 })
    }
}
