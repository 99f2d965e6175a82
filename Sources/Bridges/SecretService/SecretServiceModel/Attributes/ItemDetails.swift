package import KeychainModel

/// What an item of the Secret Service has beside its label and its secret: its attributes and its secret's content type.
package struct ItemDetails: Sendable, Equatable {
    package var attributes: SecretAttributes
    package var contentType: String

    package init(attributes: SecretAttributes, contentType: String) {
        self.attributes = attributes
        self.contentType = contentType
    }
}

/// How it is stored: docs/formats/secret-service.md.
extension ItemDetails {
    private static let version: UInt8 = 1

    package var serialized: [UInt8] {
        var bytes = [Self.version]
        append(contentType, to: &bytes)
        for pair in attributes.pairs {
            append(pair.name, to: &bytes)
            append(pair.value, to: &bytes)
        }
        return bytes
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        let count = UInt32(clamping: text.utf8.count)
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        bytes += Array(text.utf8)
    }

    /// - Throws: `undecodable`
    package init(serialized bytes: [UInt8]) throws(KeychainError) {
        let damaged = KeychainError(.undecodable, "an item of the Secret Service has attributes that cannot be read")
        guard bytes.first == Self.version else { throw damaged }
        var texts: [String] = []
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw damaged }
            let count = Int(rest.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
            rest = rest.dropFirst(4)
            guard count <= rest.count, let text = String(validating: rest.prefix(count), as: UTF8.self) else {
                throw damaged
            }
            texts.append(text)
            rest = rest.dropFirst(count)
        }
        guard let type = texts.first, !texts.count.isMultiple(of: 2) else { throw damaged }
        let pairs = stride(from: 1, to: texts.count, by: 2).map { index in
            SecretAttributes.Pair(name: texts[index], value: texts[index + 1])
        }
        guard let attributes = try? SecretAttributes(pairs) else { throw damaged }
        self.init(attributes: attributes, contentType: type)
    }
}
