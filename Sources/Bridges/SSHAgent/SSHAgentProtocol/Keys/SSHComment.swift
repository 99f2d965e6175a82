/// What a key is called: any bytes but NUL, as ssh has them. People mostly write UTF-8.
package struct SSHComment: Sendable, Hashable {
    package let bytes: [UInt8]

    /// - Returns: nil for bytes with a NUL, which OpenSSH refuses as well.
    package init?(_ bytes: [UInt8]) {
        guard !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    package init(text: String) {
        bytes = text.utf8.filter { $0 != 0 }
    }

    /// For people: what is not UTF-8 stands as U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package var isEmpty: Bool { bytes.isEmpty }
}

extension SSHComment: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text: text) }
}
