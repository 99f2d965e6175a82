package import KeychainModel

/// PEM files: blocks of base64 between lines that say what they are (RFC 7468).
package enum PEM {
    package enum Strictness: Sendable {
        /// RFC 7468's "stricttextualmsg" (section 3, figure 3): lines of 64 letters, no headers, and nothing around the
        /// blocks but empty lines.
        case strict
        /// What programs write: any text around the blocks, headers, blanks around lines, lines of any length.
        case lax
    }

    private static let mostBlocks = 10_000

    /// Reads all blocks, in their order; none is no error.
    ///
    /// - Throws: `undecodable` for a block that does not end as it begins, and for one that is no base64; `dataTooLarge`.
    package static func blocks(
        in text: [UInt8],
        _ strictness: Strictness = .lax
    ) throws(KeychainError) -> [PEMBlock] {
        guard text.count <= ExchangeLimits.largestFile else { throw .tooLarge }
        var blocks: [PEMBlock] = []
        var lines = Lines(text, strictness)
        while let line = lines.next() {
            guard let label = line.label(after: "-----BEGIN ") else {
                guard strictness == .lax || line.isEmpty else { throw .malformed }
                continue
            }
            guard blocks.count < mostBlocks else { throw .tooLarge }
            blocks.append(try block(label, &lines, strictness))
        }
        return blocks
    }

    private static func block(
        _ label: String,
        _ lines: inout Lines,
        _ strictness: Strictness
    ) throws(KeychainError) -> PEMBlock {
        var headers: [PEMBlock.Header] = []
        var body: [ArraySlice<UInt8>] = []
        while let line = lines.next() {
            if line.starts(with: "-----".utf8) {
                guard line.label(after: "-----END ") == label else { throw .malformed }
                guard strictness == .lax || isStrict(body), let content = SecretBase64.decode(body) else {
                    throw .malformed
                }
                return PEMBlock(kind: PEMBlock.Kind(label: label), headers: headers, content: content)
            }
            // No letter of base64.
            if let colon = line.firstIndex(of: UInt8(ascii: ":")), body.isEmpty, strictness == .lax {
                guard headers.count < 100 else { throw .tooLarge }
                headers.append(
                    PEMBlock.Header(
                        name: String(decoding: line[..<colon], as: UTF8.self),
                        value: String(decoding: line[(colon + 1)...].trimmed, as: UTF8.self)
                    )
                )
            } else {
                body.append(line)
            }
        }
        throw .malformed
    }

    private static func isStrict(_ body: [ArraySlice<UInt8>]) -> Bool {
        guard let last = body.last else { return false }
        return body.dropLast().allSatisfy { $0.count == 64 } && (1...64).contains(last.count)
    }

    // MARK: - Writing

    /// A block, with the end of its last line.
    package static func encode(_ kind: PEMBlock.Kind, _ bytes: [UInt8]) -> [UInt8] {
        text(kind, bytes)
    }

    /// A block of which the text is as secret as what is in it.
    package static func encode(_ kind: PEMBlock.Kind, secret: SecretBytes) -> SecretBytes {
        secret.withArray { bytes in
            var text = text(kind, bytes)
            return SecretBytes(moving: &text)
        }
    }

    private static func text(_ kind: PEMBlock.Kind, _ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        // Where the array grew, what it was before would stay in memory.
        text.reserveCapacity(bytes.count / 3 * 4 + bytes.count / 48 + 2 * kind.label.utf8.count + 64)
        text += "-----BEGIN \(kind.label)-----\n".utf8
        SecretBase64.encode(bytes, into: &text)
        text += "-----END \(kind.label)-----\n".utf8
        return text
    }
}

/// The lines of a text, whichever of the usual ends they have.
private struct Lines {
    private var rest: ArraySlice<UInt8>
    private let strictness: PEM.Strictness

    init(_ text: [UInt8], _ strictness: PEM.Strictness) {
        // Some editors put a mark there that says nothing about UTF-8.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        rest = strictness == .lax && text.starts(with: mark) ? text.dropFirst(mark.count) : text[...]
        self.strictness = strictness
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        rest = rest.dropFirst(line.count)
        if rest.popFirst() == UInt8(ascii: "\r"), rest.first == UInt8(ascii: "\n") { rest.removeFirst() }
        return strictness == .lax ? line.trimmed : line
    }
}

extension ArraySlice<UInt8> {
    /// Without blanks at either end.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let line = drop(while: isBlank)
        return line.prefix((line.lastIndex { !isBlank($0) } ?? line.startIndex - 1) + 1 - line.startIndex)
    }

    /// What stands between the beginning and five hyphens.
    fileprivate func label(after beginning: String) -> String? {
        guard starts(with: beginning.utf8), suffix(5).elementsEqual("-----".utf8),
            count >= beginning.utf8.count + 5
        else { return nil }
        return String(validating: dropFirst(beginning.utf8.count).dropLast(5), as: UTF8.self)
    }
}
