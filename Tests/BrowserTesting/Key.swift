/// A key of the keyboard, perhaps with others held down.
package struct Key: Sendable {
    let name: String
    let code: String
    let number: Int
    var text = ""
    var modifiers = 0

    package static let tab = Key(name: "Tab", code: "Tab", number: 9)
    package static let shiftTab = tab.with(shift)
    package static let enter = Key(name: "Enter", code: "Enter", number: 13, text: "\r")
    package static let space = Key(name: " ", code: "Space", number: 32, text: " ")
    package static let escape = Key(name: "Escape", code: "Escape", number: 27)
    package static let backspace = Key(name: "Backspace", code: "Backspace", number: 8)
    package static let delete = Key(name: "Delete", code: "Delete", number: 46)
    package static let pageUp = Key(name: "PageUp", code: "PageUp", number: 33)
    package static let pageDown = Key(name: "PageDown", code: "PageDown", number: 34)
    package static let end = Key(name: "End", code: "End", number: 35)
    package static let home = Key(name: "Home", code: "Home", number: 36)
    package static let left = Key(name: "ArrowLeft", code: "ArrowLeft", number: 37)
    package static let up = Key(name: "ArrowUp", code: "ArrowUp", number: 38)
    package static let right = Key(name: "ArrowRight", code: "ArrowRight", number: 39)
    package static let down = Key(name: "ArrowDown", code: "ArrowDown", number: 40)

    /// A letter with Control.
    package static func control(_ letter: Character) -> Key { Key(letter).with(2) }

    private static let shift = 8

    /// The key that types a character. One that is neither a letter nor a digit of ASCII is typed by a key without a place.
    init(_ character: Character) {
        let upper = character.uppercased()
        text = String(character)
        name = text
        let value = character.asciiValue ?? 0
        number = character.isLetter || character.isNumber ? Int(Character(upper).asciiValue ?? 0) : 0
        code = number == 0 || value == 0 ? "" : (character.isLetter ? "Key" : "Digit") + upper
        modifiers = character.isUppercase ? Self.shift : 0
    }

    private init(name: String, code: String, number: Int, text: String = "") {
        self.name = name
        self.code = code
        self.number = number
        self.text = text
    }

    private func with(_ modifier: Int) -> Key {
        var key = self
        key.modifiers |= modifier
        // What is held down with Control types nothing.
        if modifier != Self.shift { key.text = "" }
        return key
    }

    /// What Chromium is told when it is pressed, or let go.
    func event(_ isPressed: Bool) -> JSONValue {
        var event: [String: JSONValue] = [
            "type": isPressed ? (text.isEmpty ? "rawKeyDown" : "keyDown") : "keyUp",
            "key": .string(name), "code": .string(code), "modifiers": .number(Double(modifiers)),
            "windowsVirtualKeyCode": .number(Double(number)), "nativeVirtualKeyCode": .number(Double(number)),
        ]
        if isPressed, !text.isEmpty { event["text"] = .string(text) }
        return .object(event)
    }
}
