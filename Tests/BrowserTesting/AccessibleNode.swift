/// What a screen reader is told of an element.
package struct AccessibleNode: Sendable {
    package let role: String
    package let name: String
    package let explanation: String
    package let value: JSONValue
    /// Whether it is told nothing.
    package let isIgnored: Bool
    /// Such as `focusable`, `disabled`, `checked` and `expanded`.
    package let properties: [String: JSONValue]
    /// The element's number in the browser.
    let element: Int?

    init(_ node: JSONValue) {
        role = node["role"]["value"].text ?? ""
        name = (node["name"]["value"].text ?? "").trimmed
        explanation = node["description"]["value"].text ?? ""
        value = node["value"]["value"]
        isIgnored = node["ignored"].isTrue
        let pairs = node["properties"].elements.map { ($0["name"].text ?? "", $0["value"]["value"]) }
        properties = Dictionary(pairs) { $1 }
        element = node["backendDOMNodeId"].int
    }

    package var isFocusable: Bool { properties["focusable"]?.isTrue == true }
    package var isDisabled: Bool { properties["disabled"]?.isTrue == true }

    /// Whether a screen reader could not say what the element is.
    var lacksName: Bool {
        guard !isIgnored else { return false }
        if Self.controls.contains(role) || Self.images.contains(role) { return name.isEmpty }
        return isFocusable && ["", "generic", "none"].contains(role)
    }

    private static let images: Set = ["image", "img", "graphics-document", "graphics-symbol"]
    private static let controls: Set = [
        "button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "option", "menuitem",
        "menuitemcheckbox", "menuitemradio", "tab", "switch", "slider", "spinbutton", "treeitem",
    ]
}

extension AccessibleNode: CustomStringConvertible {
    package var description: String { "\(role) \"\(name)\"" }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
