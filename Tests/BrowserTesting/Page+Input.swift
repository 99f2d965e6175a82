extension Page {
    /// Presses a key and lets it go, wherever the focus is.
    package func press(_ key: Key) throws {
        try send("Input.dispatchKeyEvent", key.event(true))
        try send("Input.dispatchKeyEvent", key.event(false))
    }

    /// Types a text, key by key.
    package func type(_ text: String) throws {
        for character in text {
            switch character {
            case "\n": try press(.enter)
            case " ": try press(.space)
            default: try press(Key(character))
            }
        }
    }

    /// Clicks in the middle of the first element that a CSS selector finds, once it is there and nothing covers it.
    package func click(_ selector: String, within seconds: Double = 20) throws {
        let find = """
            (() => {
                const element = document.querySelector(\(JSONValue.string(selector).quoted));
                element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
                const box = element.getClientRects()[0];
                const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
                let hit = document.elementFromPoint(x, y);
                while (hit?.shadowRoot?.elementFromPoint(x, y)) hit = hit.shadowRoot.elementFromPoint(x, y);
                return element.contains(hit) && !element.disabled ? [x, y] : null;
            })()
            """
        try waitUntil("\(selector) can be clicked", within: seconds, find)
        let place = try evaluate(find)
        guard place != .null else { throw BrowserFailure("\(selector) cannot be clicked any more; \(state)") }
        for (type, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            try send(
                "Input.dispatchMouseEvent",
                [
                    "type": .string(type), "x": place[0], "y": place[1],
                    "button": type == "mouseMoved" ? "none" : "left", "buttons": .number(Double(buttons)),
                    "clickCount": type == "mouseMoved" ? 0 : 1,
                ]
            )
        }
    }
}
