import Terminal

extension Console {
    /// Nothing can be said of a reader that went away.
    static func print(_ text: String) {
        _ = write(Array(text.utf8))
    }
}
