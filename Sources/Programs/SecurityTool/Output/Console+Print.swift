import Terminal

extension Console {
    /// - Throws: if not everything could be written. Nothing is said of a reader that went away.
    static func print(_ text: String) throws(Failure) {
        try writeAll(Array(text.utf8))
    }

    static func print(bytes: [UInt8]) throws(Failure) {
        try writeAll(bytes)
    }
}
