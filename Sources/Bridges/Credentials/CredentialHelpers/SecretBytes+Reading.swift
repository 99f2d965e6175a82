package import KeychainModel

extension SecretBytes {
    /// Lends the bytes with their bounds checked.
    func withBytes<Value, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Value) throws(Failure) -> Value {
        try unsafe withUnsafeBytes { (buffer) throws(Failure) in
            try unsafe buffer.withMemoryRebound(to: UInt8.self) { (bytes) throws(Failure) in
                try unsafe body(bytes.span)
            }
        }
    }

    func contains(where isMeant: (UInt8) -> Bool) -> Bool {
        withBytes { bytes in
            for index in bytes.indices where isMeant(bytes[index]) { return true }
            return false
        }
    }

    /// A part as a secret of its own.
    func slice(_ range: Range<Int>) -> SecretBytes {
        unsafe withUnsafeBytes { unsafe SecretBytes($0[range]) }
    }

    /// The bytes as text, for what is not secret.
    ///
    /// - Returns: nil where they are no UTF-8.
    func text(_ range: Range<Int>) -> String? {
        unsafe withUnsafeBytes { unsafe String(validating: $0[range], as: UTF8.self) }
    }

    var text: String? { text(0..<count) }

    /// The lines, without what ends them: a line feed, or a carriage return and a line feed. An end without a line feed
    /// ends the last line.
    func lines() -> [Range<Int>] {
        withBytes { bytes in
            var lines: [Range<Int>] = []
            var start = 0
            for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
                let hasReturn = index > start && bytes[index - 1] == UInt8(ascii: "\r")
                lines.append(start..<(hasReturn ? index - 1 : index))
                start = index + 1
            }
            if start < bytes.count { lines.append(start..<bytes.count) }
            return lines
        }
    }
}

extension SecretBytes {
    /// Without the line end behind it.
    package var droppingLineEnd: SecretBytes {
        guard let line = lines().last, line.upperBound < count, lines().count == 1 else { return self }
        return slice(line)
    }
}
