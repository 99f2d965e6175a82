import KeychainModel

/// What a credential has beside its secret: lines of `NAME=VALUE` under a line that says their version
/// (docs/formats/credentials.md).
struct VersionedLines {
    private static let heading = "chatelaine-credential 1"

    private(set) var values: [(name: String, value: SecretBytes)] = []

    init() {}

    subscript(name: String) -> SecretBytes? {
        get { values.first { $0.name == name }?.value }
        set {
            values.removeAll { $0.name == name }
            if let newValue { values.append((name, newValue)) }
        }
    }

    /// Empty where there are no lines.
    var encoded: SecretBytes {
        guard !values.isEmpty else { return SecretBytes([]) }
        var text = SecretText(Self.heading + "\n")
        for (name, value) in values {
            text += name + "="
            text += value
            text += "\n"
        }
        return text.joined()
    }

    /// - Throws: for bytes of another version, and for lines that are none.
    init(_ bytes: SecretBytes) throws(HelperFailure) {
        let lines = bytes.lines()
        guard let first = lines.first else { return }
        guard bytes.text(first) == Self.heading else {
            throw HelperFailure("the credential was stored by a newer version, or is damaged")
        }
        for line in lines.dropFirst() {
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "="), in: line),
                let name = bytes.text(line.lowerBound..<equals)
            else { throw HelperFailure("the credential is damaged") }
            self[name] = bytes.slice(equals + 1..<line.upperBound)
        }
    }
}

extension SecretBytes {
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        withBytes { bytes in
            for index in range where bytes[index] == byte { return index }
            return nil
        }
    }
}
